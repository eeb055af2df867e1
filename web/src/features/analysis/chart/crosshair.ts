import { indexFrom } from '@/ui/chart/times';
import type { Axis, Column } from '../data/column';
import type { Span } from '../data/line';
import type { Bar, BarPeriod } from './bars';
import { lengthOf, longestPause, placeOf } from './runs';

/** The value of a line at a place of the axis; null where it has none. */
export interface Mark {
  column: Column;
  /** The index of the value. */
  index: number | null;
  /** Of sums: the bar that is drawn there, null for none, and its period. */
  drawn?: { bar: Bar | null; period: BarPeriod };
}

/** The drawn bars of a line of sums. */
export type BarsOf = (column: Column) => { bars: readonly Bar[]; period: BarPeriod } | undefined;

const middleOf = (column: Column, axis: Axis) => (axis === 'time' ? lengthOf[column.line.resolution] / 2 : 0);

/** What every line has nearest to a place of the axis. */
export function marksAt(columns: readonly Column[], axis: Axis, at: number, barsOf: BarsOf): Mark[] {
  return columns.map((column) => {
    const sums = barsOf(column);
    if (sums) {
      const bar = sums.bars.find(({ from, to }) => from <= at && at < to) ?? null;
      return { column, index: null, drawn: { bar, period: sums.period } };
    }
    const { times, onTimes, mean } = column.line;
    if (onTimes) {
      const last = indexFrom(times, at + 1) - 1;
      const known = last >= 0 && at <= onTimes.to && !Number.isNaN(mean[last]);
      return { column, index: known ? last : null };
    }
    const after = indexFrom(times, at - middleOf(column, axis));
    const distance = (index: number) =>
      index < times.length ? Math.abs(placeOf(column.line, index, axis) - at) : Number.POSITIVE_INFINITY;
    const nearest = after > 0 && distance(after - 1) <= distance(after) ? after - 1 : after;
    // Over degree days, values may be far from each other.
    const most = axis === 'time' ? longestPause(column.line) : Number.POSITIVE_INFINITY;
    return { column, index: nearest < times.length && distance(nearest) <= most ? nearest : null };
  });
}

/** The place of the next or previous value of any line; where there is none, the same place. */
export function stepFrom(columns: readonly Column[], axis: Axis, at: number, direction: 1 | -1, span: Span): number {
  let best: number | undefined;
  for (const column of columns) {
    const { times } = column.line;
    // The middle of half an hour is nearer to its time than that of a whole one.
    let index = indexFrom(times, at - middleOf(column, axis)) - (direction === 1 ? 0 : 1);
    if (direction === 1) while (index < times.length && placeOf(column.line, index, axis) <= at) index += 1;
    else while (index + 1 < times.length && placeOf(column.line, index + 1, axis) < at) index += 1;
    if (times[index] === undefined) continue;
    const place = placeOf(column.line, index, axis);
    if (place < span.from || place > span.to) continue;
    if (best === undefined || (direction === 1 ? place < best : place > best)) best = place;
  }
  return best ?? at;
}
