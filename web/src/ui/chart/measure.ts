import { useMemo, useSyncExternalStore } from 'react';
import { useChartTokens } from './tokens';

/** The width of text in a chart, in pixels; names are bold. */
export type Measure = (words: string, style?: 'axis' | 'name') => number;

/** The font size of all text in charts. */
export const labelSize = 11.5;
const weights = { axis: 450, name: 600 };

/** An estimate where there is no canvas to measure with: a Chinese character is as wide as it is high. */
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

/**
 * The browser fetches each script's part of the font on first use: widths measured before belong to
 * another font.
 */
function onFontLoad(changed: () => void): () => void {
  const arrived = () => {
    fontLoads += 1;
    changed();
  };
  document.fonts?.addEventListener('loadingdone', arrived);
  return () => document.fonts?.removeEventListener('loadingdone', arrived);
}

/** Measures in the charts' font; returns a new function once a part of the font has loaded. */
export function useMeasure(): Measure {
  const { font } = useChartTokens();
  const loaded = useSyncExternalStore(onFontLoad, () => fontLoads);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newly loaded font part invalidates earlier measurements
  return useMemo(() => measureIn(font), [font, loaded]);
}

/** As much of the text as fits, with an ellipsis if it is cut. */
export function truncateToWidth(words: string, room: number, width: (words: string) => number): string {
  if (width(words) <= room) return words;
  const letters = [...words];
  while (letters.length > 1 && width(`${letters.join('').trimEnd()}…`) > room) letters.pop();
  return `${letters.join('').trimEnd()}…`;
}
