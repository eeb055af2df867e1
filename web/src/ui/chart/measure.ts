import { useMemo, useSyncExternalStore } from 'react';
import { useChartTokens } from './tokens';

/** How wide words are as a chart writes them, in pixels; bold where they name something. */
export type Measure = (words: string, style?: 'axis' | 'name') => number;

/** Of all words in charts. */
export const labelSize = 11.5;
const weights = { axis: 450, name: 600 };

/** Where nothing can be drawn nothing can be measured: a Chinese character is as wide as it is high. */
export const estimateWidth: Measure = (words) => {
  let width = 0;
  for (const letter of words) width += letter > '\u2e80' ? 12 : 7;
  return width;
};

function measureIn(font: string): Measure {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return estimateWidth;
  const known = new Map<string, number>();
  return (words, style = 'axis') => {
    const key = `${style} ${words}`;
    let width = known.get(key);
    if (width === undefined) {
      context.font = `${weights[style]} ${labelSize}px ${font}`;
      width = context.measureText(words).width;
      known.set(key, width);
    }
    return width;
  };
}

let fontLoads = 0;

/** Each script's part of the font is fetched when it is first written: what was measured before was another font. */
function onFontLoad(changed: () => void): () => void {
  const arrived = () => {
    fontLoads += 1;
    changed();
  };
  document.fonts?.addEventListener('loadingdone', arrived);
  return () => document.fonts?.removeEventListener('loadingdone', arrived);
}

/** Measures in the charts' font; another function once a part of the font has come. */
export function useMeasure(): Measure {
  const { font } = useChartTokens();
  const loaded = useSyncExternalStore(onFontLoad, () => fontLoads);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was measured before a part of the font came is forgotten
  return useMemo(() => measureIn(font), [font, loaded]);
}

/** As much of the words as there is room for, with an ellipsis where something is left out. */
export function truncateToWidth(words: string, room: number, width: (words: string) => number): string {
  if (width(words) <= room) return words;
  const letters = [...words];
  while (letters.length > 1 && width(`${letters.join('').trimEnd()}…`) > room) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}
