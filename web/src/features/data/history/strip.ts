import { midnight } from '@/lib/format/date';
import type { Span } from './range';
import { indicesIn, type Line } from './series';

/** The strip's own size; it is stretched to fit its element. */
export const stripWidth = 600;
export const stripHeight = 40;
const margin = 6;

/**
 * A line over the whole range as SVG path data: the lowest and highest reading of each column, with
 * breaks at gaps.
 */
export function stripPath(line: Line, gaps: readonly Span[], range: Span): string {
  const [first, last] = indicesIn(line.times, range);
  if (first === last) return '';
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = first; i < last; i += 1) {
    low = Math.min(low, line.values[i] ?? 0);
    high = Math.max(high, line.values[i] ?? 0);
  }
  const perMs = stripWidth / (range.to - range.from);
  const y = (value: number) =>
    high === low ? stripHeight / 2 : margin + ((high - value) / (high - low)) * (stripHeight - 2 * margin);
  const parts: string[] = [];
  let gap = 0;
  let pen = false;
  let column = -1;
  let columnLow = 0;
  let columnHigh = 0;
  const flush = () => {
    if (column < 0) return;
    const put = (value: number) => {
      parts.push(`${pen ? 'L' : 'M'}${column} ${y(value).toFixed(1)}`);
      pen = true;
    };
    put(columnLow);
    if (columnHigh !== columnLow) put(columnHigh);
  };
  for (let i = first; i < last; i += 1) {
    const time = line.times[i] ?? 0;
    const value = line.values[i] ?? 0;
    const columnIndex = Math.floor((time - range.from) * perMs);
    let gapped = false;
    while ((gaps[gap]?.to ?? Number.POSITIVE_INFINITY) <= time) {
      gapped = true;
      gap += 1;
    }
    if (columnIndex !== column || gapped) {
      flush();
      if (gapped) pen = false;
      column = columnIndex;
      columnLow = value;
      columnHigh = value;
    } else {
      columnLow = Math.min(columnLow, value);
      columnHigh = Math.max(columnHigh, value);
    }
  }
  flush();
  return parts.join('');
}

/** At most `most` midnights of a range, evenly spaced. */
export function midnights({ from, to }: Span, most: number): number[] {
  const all: number[] = [];
  for (let day = 1; ; day += 1) {
    const time = midnight(from, day);
    if (time > to) break;
    all.push(time);
  }
  const every = Math.ceil(all.length / most);
  return all.filter((_, index) => index % every === 0);
}
