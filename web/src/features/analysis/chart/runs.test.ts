import { describe, expect, it } from 'vitest';
import type { Line } from '../data/line';
import { bandPath, gapsOf, linePath, runsOf } from './runs';

const hour = 3_600_000;

function line(resolution: Line['resolution'], times: number[], values: number[], spread = 0): Line {
  const of = (list: number[]) => Float64Array.from(list);
  return {
    resolution,
    times: of(times),
    low: of(values.map((value) => value - spread)),
    mean: of(values),
    high: of(values.map((value) => value + spread)),
    count: of(values.map(() => 1)),
    sum: of(values),
  };
}

const place = { axis: 'time', left: 100, width: 100 } as const;

describe('the parts of a line', () => {
  it('stand at the middle of their hours and end at a gap', () => {
    const hours = line('hour', [0, hour, 4 * hour], [1, 2, 3], 0.5);
    const runs = runsOf(hours, { ...place, span: { from: 0, to: 5 * hour } });
    expect(runs.map((run) => run.map(({ x, mean }) => [x, mean]))).toEqual([
      [
        [110, 1],
        [130, 2],
      ],
      [[190, 3]],
    ]);
  });

  it('have one point a pixel, with all that lies there', () => {
    const readings = line(
      'raw',
      Array.from({ length: 1000 }, (_, i) => i),
      Array.from({ length: 1000 }, (_, i) => i % 10),
    );
    const [run = []] = runsOf(readings, { ...place, span: { from: 0, to: 1000 } });
    expect(run.length).toBeLessThanOrEqual(101);
    expect(Math.max(...run.map(({ high }) => high))).toBe(9);
    expect(Math.min(...run.map(({ low }) => low))).toBe(0);
    expect(run[50]?.mean).toBeCloseTo(4.5, 1);
  });

  it('reach beyond the edges, but no further', () => {
    const readings = line('raw', [0, 10, 20, 30, 40, 50], [0, 1, 2, 3, 4, 5]);
    const [run = []] = runsOf(readings, { ...place, span: { from: 15, to: 35 } });
    expect(run.map(({ mean }) => mean)).toEqual([1, 2, 3, 4]);
  });
});

it('finds gaps of readings, hours and days, also at the ends', () => {
  const span = { from: 0, to: 100 };
  expect(gapsOf(line('raw', [0, 10, 20, 60, 70, 80, 90], Array(7).fill(1)), span)).toEqual([{ from: 20, to: 60 }]);
  expect(gapsOf(line('hour', [2 * hour, 3 * hour], [1, 1]), { from: 0, to: 6 * hour })).toEqual([
    { from: 0, to: 2 * hour },
    { from: 4 * hour, to: 6 * hour },
  ]);
  const day = 24 * hour;
  // The day on which clocks are set back has 25 hours.
  expect(gapsOf(line('day', [0, day, day * 2 + hour], [1, 1, 1]), { from: 0, to: 3 * day })).toEqual([]);
});

it('writes paths', () => {
  const run = [
    { x: 0, low: 0, mean: 1, high: 2 },
    { x: 10, low: 1, mean: 2, high: 3 },
  ];
  const y = (value: number) => 10 - value;
  expect(linePath(run, y)).toBe('M0 9L10 8');
  expect(bandPath(run, y)).toBe('M0 8L10 7L10 9L0 10Z');
});
