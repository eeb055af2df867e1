import type { components } from '@/api/schema.gen';
import { indexFrom } from '@/ui/chart/times';
import type { Span } from './range';

/** A piece of the server's answer: times and, by identifier, the values at each time. */
export type Piece = components['schemas']['ColumnsPiece'];

/** One attribute's readings, oldest first; true and false are 1 and 0. */
export interface Line {
  times: Float64Array;
  values: Float64Array;
  /** The numbers as they arrived, NaN where the value is not corrected; absent if none is. */
  raw?: Float64Array | undefined;
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
  const found = new Map(
    ids.map((id) => [id, { times: [] as number[], values: [] as number[], raw: [] as number[], bucket: 0 }]),
  );
  const texts = new Map<string, TextValue[]>();
  for (const { times, values, raw = {}, bucket = 0 } of pieces) {
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
          line.raw.push(raw[id]?.[index] ?? Number.NaN);
        }
      });
      if (textValues.length > 0) texts.set(id, textValues);
    }
  }
  const lines = new Map<string, SampledLine>();
  for (const [id, { times, values, raw, bucket }] of found) {
    const line: SampledLine = { times: Float64Array.from(times), values: Float64Array.from(values), bucket };
    if (!raw.every(Number.isNaN)) line.raw = Float64Array.from(raw);
    lines.set(id, line);
  }
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
  if (!coarse.raw && !fine.raw) return { times, values };
  const raw = new Float64Array(length);
  join(raw, rawOf(coarse), rawOf(fine));
  return { times, values, raw };
}

const rawOf = ({ times, raw }: Line) => raw ?? new Float64Array(times.length).fill(Number.NaN);

/** When the first corrected reading of some lines was; undefined if none is corrected. */
export function firstCorrected(lines: Iterable<Line>): number | undefined {
  let first: number | undefined;
  for (const { times, raw } of lines) {
    const time = raw && times[raw.findIndex((number) => !Number.isNaN(number))];
    if (time !== undefined && (first === undefined || time < first)) first = time;
  }
  return first;
}

/** Shifts all readings in time. */
export function shiftTimes(line: Line, by: number): Line {
  return by === 0 ? line : { ...line, times: line.times.map((time) => time + by) };
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
