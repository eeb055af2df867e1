import type { components } from '@/api/schema.gen';
import type { OnTimes } from './onTimes';

export type Answer = components['schemas']['AggregatedData'];
export type LineResolution = Answer['resolution'];

/** Epoch milliseconds, both inclusive. */
export interface Span {
  from: number;
  to: number;
}

/**
 * One property of a device over a range: its readings, hours or days, oldest first. All lists have
 * the same length. Of readings, low, mean, high and sum are the reading itself, and count is 1.
 */
export interface Line {
  resolution: LineResolution;
  /** The times of readings, or the beginnings of hours or days. */
  times: Float64Array;
  low: Float64Array;
  mean: Float64Array;
  high: Float64Array;
  count: Float64Array;
  sum: Float64Array;
  /** Of a switch. */
  onTimes?: OnTimes;
}

const nothing = new Float64Array(0);
export const emptyLine: Line = {
  resolution: 'day',
  times: nothing,
  low: nothing,
  mean: nothing,
  high: nothing,
  count: nothing,
  sum: nothing,
};

type Lists = Record<'times' | 'low' | 'mean' | 'high' | 'count' | 'sum', number[]>;
const emptyLists = (): Lists => ({ times: [], low: [], mean: [], high: [], count: [], sum: [] });

function lineOf(resolution: LineResolution, lists: Lists): Line {
  return {
    resolution,
    times: Float64Array.from(lists.times),
    low: Float64Array.from(lists.low),
    mean: Float64Array.from(lists.mean),
    high: Float64Array.from(lists.high),
    count: Float64Array.from(lists.count),
    sum: Float64Array.from(lists.sum),
  };
}

/** Readings: their values stand for low, mean, high and sum alike, in one list. */
function readingsOf(times: readonly number[], values: readonly number[]): Line {
  const one = Float64Array.from(values);
  const count = new Float64Array(values.length).fill(1);
  return { resolution: 'raw', times: Float64Array.from(times), low: one, mean: one, high: one, sum: one, count };
}

/** The lines in the server's answer, by identifier; properties without numbers are absent. */
export function linesOf({ resolution, aggregates = [], readings = [] }: Answer): Map<string, Line> {
  const lines = new Map<string, Line>();
  const found = new Map<string, Lists>();
  for (const piece of aggregates) {
    const lists = found.get(piece.identifier) ?? emptyLists();
    found.set(piece.identifier, lists);
    let time = 0;
    for (const step of piece.times) {
      time += step;
      lists.times.push(time);
    }
    for (const name of ['low', 'mean', 'high', 'count', 'sum'] as const) {
      for (const value of piece[name]) lists[name].push(value);
    }
  }
  for (const [sign, lists] of found) lines.set(sign, lineOf(resolution, lists));

  const read = new Map<string, { times: number[]; values: number[] }>();
  for (const { times, values } of readings) {
    for (const [sign, column] of Object.entries(values)) {
      const lists = read.get(sign) ?? { times: [], values: [] };
      read.set(sign, lists);
      let time = 0;
      column.forEach((value, index) => {
        time += times[index] ?? 0;
        if (typeof value !== 'number') return;
        lists.times.push(time);
        lists.values.push(value);
      });
    }
  }
  for (const [sign, { times, values }] of read) if (times.length > 0) lines.set(sign, readingsOf(times, values));
  return lines;
}

/** The line with other times, one for each of its own; points whose time is null are left out. */
export function retime(line: Line, timeOf: (time: number) => number | null): Line {
  const lists = emptyLists();
  for (let i = 0; i < line.times.length; i += 1) {
    const time = timeOf(line.times[i] ?? 0);
    if (time === null) continue;
    lists.times.push(time);
    for (const name of ['low', 'mean', 'high', 'count', 'sum'] as const) lists[name].push(line[name][i] ?? 0);
  }
  return lineOf(line.resolution, lists);
}
