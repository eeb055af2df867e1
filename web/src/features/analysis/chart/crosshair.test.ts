import { expect, it } from 'vitest';
import type { Column } from '../data/column';
import { marksAt, stepFrom } from './crosshair';

const hour = 3_600_000;

function column(key: string, resolution: 'raw' | 'hour', times: number[]): Column {
  const of = Float64Array.from(times);
  return {
    key,
    deviceName: key,
    device: key,
    sign: 't',
    name: 't',
    unit: '°C',
    precision: 1,
    kind: 'line',
    leastSpan: 0,
    color: 0,
    compared: false,
    line: { resolution, times: of, low: of, mean: of, high: of, count: of, sum: of },
  };
}

const hours = column('hours', 'hour', [0, hour, 2 * hour, 9 * hour]);
const readings = column('readings', 'raw', [0, 10 * 60_000, 20 * 60_000]);

it('finds the value nearest to a place, hours by their middles', () => {
  const indices = (at: number) => marksAt([hours, readings], 'time', at, () => undefined).map(({ index }) => index);
  expect(indices(0.6 * hour)).toEqual([0, 2]);
  expect(indices(1.4 * hour)).toEqual([1, null]);
  expect(indices(6 * hour)).toEqual([null, null]);
  expect(indices(9.4 * hour)).toEqual([3, null]);
});

it('goes from value to value of all lines', () => {
  const span = { from: 0, to: 10 * hour };
  expect(stepFrom([hours, readings], 'time', 0, 1, span)).toBe(10 * 60_000);
  expect(stepFrom([hours, readings], 'time', 20 * 60_000, 1, span)).toBe(hour / 2);
  expect(stepFrom([hours], 'time', 1.5 * hour, -1, span)).toBe(hour / 2);
  expect(stepFrom([hours], 'time', 9.5 * hour, 1, span)).toBe(9.5 * hour);
});

it('knows that an hour in which a day begins is two', () => {
  const half = column('half', 'hour', [0, hour, 1.5 * hour, 2 * hour, 3 * hour]);
  const found = [1.1, 1.3, 1.6, 1.9, 2.2].map((at) => marksAt([half], 'time', at * hour, () => undefined)[0]?.index);
  expect(found).toEqual([1, 1, 2, 2, 3]);
  const span = { from: 0, to: 4 * hour };
  const places = [0.5, 1.25, 1.75, 2.5, 3.5];
  for (const [index, place] of places.entries()) {
    const [before, after] = [places[index - 1] ?? place, places[index + 1] ?? place];
    expect(stepFrom([half], 'time', place * hour, 1, span)).toBe(after * hour);
    expect(stepFrom([half], 'time', place * hour, -1, span)).toBe(before * hour);
  }
});

it('finds the drawn bar of sums', () => {
  const bars = [{ from: 0, to: 24 * hour, sum: 5 }];
  const found = (at: number) => marksAt([hours], 'time', at, () => ({ bars, period: 'day' }))[0];
  expect(found(20 * hour)?.drawn).toEqual({ bar: bars[0], period: 'day' });
  expect(found(25 * hour)?.drawn).toEqual({ bar: null, period: 'day' });
});
