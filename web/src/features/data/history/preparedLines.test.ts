import { describe, expect, it } from 'vitest';
import type { PropertyKind } from '@/lib/device/propertyKind';
import type { Attribute } from './attributes';
import { isComplete, prepareLines } from './preparedLines';
import type { Sample } from './queries';
import type { Line } from './series';

const minute = 60_000;
const attribute = (id: string, kind: PropertyKind): Attribute => ({ id, name: id, unit: '', precision: 1, kind });
const line = (minutes: readonly number[], value: (at: number) => number = () => 1): Line => ({
  times: Float64Array.from(minutes, (at) => at * minute),
  values: Float64Array.from(minutes, value),
});
const every = (step: number, from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
const sample = (
  from: number,
  to: number,
  points: number | null,
  lines: Record<string, Line & { bucket?: number }>,
): Sample => ({
  from: from * minute,
  to: to * minute,
  points,
  raw: false,
  lines: new Map(Object.entries(lines).map(([id, its]) => [id, { bucket: 0, ...its }])),
  texts: new Map(),
});

/** Two readings in each of 50 buckets of 20 minutes. */
const thinned = line(Array.from({ length: 50 }, (_, bucket) => [bucket * 20 + 1, bucket * 20 + 3]).flat());
const overview = sample(0, 1000, 100, { t: { ...thinned, bucket: 20 * minute } });

describe('a prepared line', () => {
  it('has the finer readings within their span and the coarser ones around them', () => {
    const detail = sample(200, 400, 1000, { t: line(every(1, 200, 400), () => 2) });
    const prepared = prepareLines([attribute('t', 'line')], { overview, detail, sums: undefined }).get('t');
    const within = [...(prepared?.line.times ?? [])].filter((time) => time >= 200 * minute && time <= 400 * minute);
    expect(within).toHaveLength(201);
    expect(prepared?.line.times.length).toBe(201 + 80);
    expect(prepared?.isExact({ from: 210 * minute, to: 390 * minute })).toBe(true);
    expect(prepared?.isExact({ from: 210 * minute, to: 500 * minute })).toBe(false);
  });

  it('shows a gap that only the finer readings contain', () => {
    const detail = sample(200, 400, 1000, { t: line([...every(1, 200, 290), ...every(1, 300, 400)]) });
    const prepared = prepareLines([attribute('t', 'line')], { overview, detail, sums: undefined }).get('t');
    expect(prepared?.gaps).toEqual([{ from: 290 * minute, to: 300 * minute }]);
    expect(
      prepareLines([attribute('t', 'line')], { overview, detail: undefined, sums: undefined }).get('t')?.gaps,
    ).toEqual([]);
  });

  it('ignores details of another range', () => {
    const foreign = sample(900, 1100, 1000, { t: line(every(1, 900, 1100)) });
    const prepared = prepareLines([attribute('t', 'line')], { overview, detail: foreign, sums: undefined }).get('t');
    expect(prepared?.line.times).toBe(thinned.times);
  });

  it('is absent until its readings arrive', () => {
    const prepared = prepareLines([attribute('t', 'line'), attribute('new', 'line')], {
      overview,
      detail: undefined,
      sums: undefined,
    });
    expect([...prepared.keys()]).toEqual(['t']);
  });

  it('sums every reading, only of the same range', () => {
    const sums = sample(0, 1000, null, { rain: line(every(1, 0, 1000), () => 0.2) });
    const rain = attribute('rain', 'sum');
    expect(prepareLines([rain], { overview, detail: undefined, sums }).get('rain')?.line.times.length).toBe(1001);
    const before = sample(-1000, 0, null, { rain: line([1]) });
    expect(prepareLines([rain], { overview, detail: undefined, sums: before }).size).toBe(0);
  });
});

describe('a switch', () => {
  const pump = attribute('pump', 'step');
  const changes = line([100, 300], (at) => (at === 100 ? 1 : 0));

  it('is unknown while the device did not report', () => {
    const heard = line([...every(5, 0, 500), ...every(5, 700, 1000)]);
    const prepared = prepareLines([pump], {
      overview: sample(0, 1000, 1000, { pump: changes, t: heard }),
      detail: undefined,
      sums: undefined,
    }).get('pump');
    expect(prepared?.gaps).toEqual([{ from: 500 * minute, to: 700 * minute }]);
    expect([...(prepared?.line.times ?? [])].map((time) => time / minute)).toEqual([100, 300, 500, 700, 1000]);
  });

  it('is judged by its own readings if the device has no other attribute', () => {
    const own = line([...every(5, 0, 100), ...every(5, 300, 400)]);
    const prepared = prepareLines([pump], {
      overview: sample(0, 400, null, { pump: own }),
      detail: undefined,
      sums: undefined,
    });
    expect(prepared.get('pump')?.gaps).toEqual([{ from: 100 * minute, to: 300 * minute }]);
  });
});

it('needs no details if all readings arrived', () => {
  expect(isComplete(overview)).toBe(false);
  expect(isComplete(sample(0, 1000, 100, { t: line(every(30, 0, 1000)) }))).toBe(true);
});
