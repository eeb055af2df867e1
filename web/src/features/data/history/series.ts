import type { components } from '@/api/schema.gen';
import type { Span } from './range';

export type SeriesPoint = components['schemas']['SeriesPoint'];

/** One attribute's readings, oldest first; yes and no are 1 and 0. */
export interface Line {
  times: Float64Array;
  values: Float64Array;
}

export const noLine: Line = { times: new Float64Array(0), values: new Float64Array(0) };

export function lineOf(points: readonly SeriesPoint[]): Line {
  const times = new Float64Array(points.length);
  const values = new Float64Array(points.length);
  let count = 0;
  for (const { time, value } of points) {
    // A property that was a text once and is a number now.
    if (typeof value === 'string') continue;
    times[count] = time;
    values[count] = Number(value);
    count += 1;
  }
  return count === points.length ? { times, values } : { times: times.slice(0, count), values: values.slice(0, count) };
}

/** The first index whose time is not before `time`; the length when there is none. */
export function indexFrom(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The indices of a span, up to but without the second. */
export function indicesIn(times: Float64Array, { from, to }: Span): [number, number] {
  return [indexFrom(times, from), indexFrom(times, to + 1)];
}

/** The index of the reading nearest to a moment, -1 without any. */
export function nearest(times: Float64Array, time: number): number {
  const after = indexFrom(times, time);
  if (after === times.length) return times.length - 1;
  const before = after - 1;
  if (before < 0) return after;
  return time - (times[before] ?? 0) <= (times[after] ?? 0) - time ? before : after;
}

/** The finer line inside its span, the coarser one around it. */
export function splice(coarse: Line, fine: Line, span: Span): Line {
  const [first, last] = indicesIn(coarse.times, span);
  const length = first + fine.times.length + coarse.times.length - last;
  const times = new Float64Array(length);
  const values = new Float64Array(length);
  const join = (into: Float64Array, outer: Float64Array, inner: Float64Array) => {
    into.set(outer.subarray(0, first));
    into.set(inner, first);
    into.set(outer.subarray(last), first + inner.length);
  };
  join(times, coarse.times, fine.times);
  join(values, coarse.values, fine.values);
  return { times, values };
}

/** As if everything had been read so much later. */
export function shifted(line: Line, by: number): Line {
  return by === 0 ? line : { times: line.times.map((time) => time + by), values: line.values };
}

/** The lowest and highest value of a span, null without any. */
export function extent({ times, values }: Line, span: Span): [number, number] | null {
  const [first, last] = indicesIn(times, span);
  if (first === last) return null;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = first; i < last; i += 1) {
    const value = values[i] ?? 0;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
