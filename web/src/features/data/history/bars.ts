import { nextMidnight, startOfDay } from '@/lib/format/date';
import { indexFrom } from '@/ui/chart/times';
import type { Span } from './range';
import type { Line } from './series';

const minute = 60_000;
const hour = 60 * minute;

/** The possible durations of a bar. */
const lengths = [10 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour];

/** Narrower bars cannot be told apart. */
const minPixels = 12;

/** The duration of a window's bars, so that they can be told apart. */
export function barLength({ from, to }: Span, pixels: number): number {
  const perPixel = (to - from) / Math.max(pixels, 1);
  return lengths.find((length) => length / perPixel >= minPixels) ?? (lengths.at(-1) as number);
}

/** The beginning of the bar that a time belongs to, counted from its day's midnight. */
export function barStart(time: number, length: number): number {
  const midnight = startOfDay(time);
  return length >= 24 * hour ? midnight : midnight + Math.floor((time - midnight) / length) * length;
}

/** The beginning of the next bar; a day's last bar ends with the day, whatever the day's length. */
export function barEnd(start: number, length: number): number {
  return length < 24 * hour ? Math.min(start + length, nextMidnight(start)) : nextMidnight(start);
}

/** One bar for each period with readings: its beginning and the sum of the readings. */
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
