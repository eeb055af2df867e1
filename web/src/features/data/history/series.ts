import type { components } from '@/api/schema.gen';
import { indexFrom } from '@/ui/chart/times';
import type { Span } from './range';

/** A piece of the server's answer: times and, by identifier, the values at each time. */
export type Piece = components['schemas']['ColumnsPiece'];

/** One attribute's readings, oldest first; true and false are 1 and 0. */
export interface Line {
  times: Float64Array;
  values: Float64Array;
}

/** A line as the server sent it. */
export interface SampledLine extends Line {
  /**
   * The length in ms of the buckets of which the line has only the lowest and highest readings; 0
   * if it has all readings.
   */
  bucket: number;
}

export interface TextValue {
  time: number;
  text: string;
}

export const noLine: Line = { times: new Float64Array(0), values: new Float64Array(0) };

/**
 * The lines of all requested attributes, and the texts. A property that was a text once and is a
 * number now has both.
 */
export function readPieces(pieces: readonly Piece[], ids: readonly string[]) {
  const found = new Map(ids.map((id) => [id, { times: [] as number[], values: [] as number[], bucket: 0 }]));
  const texts = new Map<string, TextValue[]>();
  for (const { times, values, bucket = 0 } of pieces) {
    for (const [id, column] of Object.entries(values)) {
      const line = found.get(id);
      const textValues = texts.get(id) ?? [];
      if (!line) continue;
      line.bucket = bucket;
      let time = 0;
      column.forEach((value, index) => {
        time += times[index] ?? 0;
        if (typeof value === 'string') textValues.push({ time, text: value });
        else if (value !== null) {
          line.times.push(time);
          line.values.push(Number(value));
        }
      });
      if (textValues.length > 0) texts.set(id, textValues);
    }
  }
  const lines = new Map<string, SampledLine>();
  for (const [id, { times, values, bucket }] of found)
    lines.set(id, { times: Float64Array.from(times), values: Float64Array.from(values), bucket });
  return { lines, texts };
}

/** The indices of a span, the second one exclusive. */
export function indicesIn(times: Float64Array, { from, to }: Span): [number, number] {
  return [indexFrom(times, from), indexFrom(times, to + 1)];
}

/** The index of the reading nearest to a time, -1 if there are no readings. */
export function nearest(times: Float64Array, time: number): number {
  const after = indexFrom(times, time);
  if (after === times.length) return times.length - 1;
  const before = after - 1;
  if (before < 0) return after;
  return time - (times[before] ?? 0) <= (times[after] ?? 0) - time ? before : after;
}

/** The finer line within its span, the coarser one outside of it. */
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

/** Shifts all readings in time. */
export function shiftTimes(line: Line, by: number): Line {
  return by === 0 ? line : { times: line.times.map((time) => time + by), values: line.values };
}

/** The lowest and highest value of a span; null if it has no readings. */
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
