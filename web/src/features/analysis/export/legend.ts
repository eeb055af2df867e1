import { inlineStyles } from './inlineStyles';
import { textWidth } from './wrapText';

/** A line's name with a piece of the line, as the page shows it. */
interface LegendEntry {
  swatch: SVGElement;
  width: number;
  height: number;
  text: string;
}

export interface PlacedEntry extends LegendEntry {
  x: number;
  /** Counted from the legend's top, in rows. */
  row: number;
}

const betweenSwatchAndText = 8;
const betweenEntries = 18;

/**
 * The entries of the legend beside a chart, one after another as far as they fit into a width.
 * Where the lines' names stand in the chart itself, there is none.
 */
export function placedLegend(svg: SVGSVGElement, width: number, font: string): PlacedEntry[] {
  const items = svg.closest('[data-chart]')?.querySelectorAll('[data-legend] > li') ?? [];
  const widthOf = textWidth(font);
  let [x, row] = [0, 0];
  return [...items].flatMap((item): PlacedEntry[] => {
    const drawn = item.querySelector('svg');
    if (!drawn) return [];
    const entry = entryOf(drawn, item.textContent ?? '');
    const needed = entry.width + betweenSwatchAndText + widthOf(entry.text);
    if (x > 0 && x + needed > width) [x, row] = [0, row + 1];
    const placed = { ...entry, x, row };
    x += needed + betweenEntries;
    return [placed];
  });
}

function entryOf(drawn: SVGSVGElement, text: string): LegendEntry {
  const swatch = drawn.cloneNode(true) as SVGSVGElement;
  inlineStyles(drawn, swatch);
  const [width, height] = [Number(drawn.getAttribute('width')), Number(drawn.getAttribute('height'))];
  return { swatch, width, height, text: text.trim() };
}

/** Where an entry's name begins. */
export const textOf = ({ x, width }: PlacedEntry) => x + width + betweenSwatchAndText;
