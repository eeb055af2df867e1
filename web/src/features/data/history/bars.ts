import { nextMidnight, startOfDay } from '@/lib/format/date';
import type { Span } from './range';
import { indexFrom, type Line } from './series';

const minute = 60_000;
const hour = 60 * minute;

/** How long a bar may stand for. */
const lengths = [10 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour];

/** Narrower bars than so many pixels are a fence. */
const minPixels = 12;

/** How long each bar of a window stands for, so that its bars can be told apart. */
export function barLength({ from, to }: Span, pixels: number): number {
  const perPixel = (to - from) / Math.max(pixels, 1);
  return lengths.find((length) => length / perPixel >= minPixels) ?? (lengths.at(-1) as number);
}

/** The beginning of the bar that a moment belongs to, counted from its day's midnight. */
export function barStart(time: number, length: number): number {
  const midnight = startOfDay(time);
  return length >= 24 * hour ? midnight : midnight + Math.floor((time - midnight) / length) * length;
}

/** Where the bar after it begins; a day's last bar ends with the day, however long that is. */
export function barEnd(start: number, length: number): number {
  return length < 24 * hour ? Math.min(start + length, nextMidnight(start)) : nextMidnight(start);
}

/** One bar for each time in which anything was read: its beginning and the sum of what fell in it. */
export function bars({ times, values }: Line, length: number): Line {
  const starts: number[] = [];
  const sums: number[] = [];
  let i = 0;
  while (i < times.length) {
    const start = barStart(times[i] ?? 0, length);
    const end = barEnd(start, length);
    const after = indexFrom(times, end);
    let sum = 0;
    for (; i < after; i += 1) sum += values[i] ?? 0;
    starts.push(start);
    sums.push(sum);
  }
  return { times: Float64Array.from(starts), values: Float64Array.from(sums) };
}
