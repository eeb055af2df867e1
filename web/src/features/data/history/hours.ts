import type { components } from '@/api/schema.gen';
import { indexFrom } from '@/ui/chart/times';
import type { Span } from './range';
import type { Line } from './series';

const hourMs = 3_600_000;
/** Shorter windows show readings, or the lowest and highest ones of short buckets. */
const shortestWindowMs = 48 * hourMs;
/** An hour that is wider on the screen has room for more than one mean. */
const mostPixels = 10;

/** A quantity by the hour. The hours have the same index in all lists. */
export interface Hours {
  starts: Float64Array;
  /** The times at which the means are drawn: the middles of the hours. */
  times: Float64Array;
  low: Float64Array;
  mean: Float64Array;
  high: Float64Array;
}

/** An hour ends where the next begins: one in which a day begins is two. */
const hourEnd = (starts: ArrayLike<number>, index: number): number =>
  Math.min((starts[index] ?? 0) + hourMs, starts[index + 1] ?? Number.POSITIVE_INFINITY);

type Piece = components['schemas']['AggregatesPiece'];

/** Whether a window is so long that hours may be worth asking for. */
export const isLongEnough = ({ from, to }: Span): boolean => to - from > shortestWindowMs;

/** Whether a window shows hours rather than thinned readings, which would be a dense zigzag. */
export function showsHours(window: Span, pixels: number): boolean {
  return isLongEnough(window) && (pixels * hourMs) / (window.to - window.from) <= mostPixels;
}

/** The hours of each attribute of an answer for a range. */
export function readHours(pieces: readonly Piece[], { from, to }: Span): Map<string, Hours> {
  const found = new Map<string, { starts: number[]; low: number[]; mean: number[]; high: number[] }>();
  for (const { identifier, times, low, mean, high } of pieces) {
    const hours = found.get(identifier) ?? { starts: [], low: [], mean: [], high: [] };
    found.set(identifier, hours);
    let start = 0;
    times.forEach((time, index) => {
      start += time;
      hours.starts.push(start);
      hours.low.push(low[index] ?? Number.NaN);
      hours.mean.push(mean[index] ?? Number.NaN);
      hours.high.push(high[index] ?? Number.NaN);
    });
  }
  const result = new Map<string, Hours>();
  for (const [id, { starts, low, mean, high }] of found) {
    result.set(id, {
      starts: Float64Array.from(starts),
      // The range may begin or end within an hour.
      times: Float64Array.from(starts, (start, index) =>
        Math.min(to, Math.max(from, (start + hourEnd(starts, index)) / 2)),
      ),
      low: Float64Array.from(low),
      mean: Float64Array.from(mean),
      high: Float64Array.from(high),
    });
  }
  return result;
}

/** Shifts all hours in time. */
export function shiftHours(hours: Hours, by: number): Hours {
  const shift = (times: Float64Array) => times.map((time) => time + by);
  return { ...hours, starts: shift(hours.starts), times: shift(hours.times) };
}

export const meansOf = ({ times, mean }: Hours): Line => ({ times, values: mean });

/**
 * The gaps between means that the line must not cross: those where no readings take up at least
 * half an hour between the two.
 */
export function breaksOf({ times }: Hours, gaps: readonly Span[]): Span[] {
  const breaks: Span[] = [];
  for (const gap of gaps) {
    for (let at = Math.max(1, indexFrom(times, gap.from)); at < times.length; at += 1) {
      const [from, to] = [times[at - 1] ?? 0, times[at] ?? 0];
      if (from >= gap.to) break;
      const silent = Math.min(to, gap.to) - Math.max(from, gap.from);
      if (silent >= hourMs / 2 && breaks.at(-1)?.to !== to) breaks.push({ from, to });
    }
  }
  return breaks;
}

/** The index of the hour that contains a time; -1 if it has no readings. */
export function hourAt({ starts }: Hours, time: number): number {
  const index = indexFrom(starts, time + 1) - 1;
  return index >= 0 && time < hourEnd(starts, index) ? index : -1;
}

/** An hour's beginning and end. */
export function hourSpan({ starts }: Hours, index: number): Span {
  return { from: starts[index] ?? 0, to: hourEnd(starts, index) };
}
