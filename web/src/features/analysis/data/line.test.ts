import { expect, it } from 'vitest';
import { linesOf, retime } from './line';

const hour = 3_600_000;

it('reads hours of several pieces', () => {
  const piece = { identifier: 't', count: [60, 30], low: [1, 2], mean: [2, 3], high: [3, 4], sum: [120, 90] };
  const lines = linesOf({
    resolution: 'hour',
    aggregates: [
      { ...piece, times: [10 * hour, hour] },
      { ...piece, times: [20 * hour, 2 * hour] },
    ],
  });
  const line = lines.get('t');
  expect([...(line?.times ?? [])]).toEqual([10 * hour, 11 * hour, 20 * hour, 22 * hour]);
  expect([...(line?.mean ?? [])]).toEqual([2, 3, 2, 3]);
  expect(line?.resolution).toBe('hour');
});

it('reads readings, without texts, switches and gaps', () => {
  const lines = linesOf({
    resolution: 'raw',
    readings: [
      { times: [1000, 10, 10], values: { t: [1.5, null, 2.5], on: [true, false, true], words: ['a', 'b', 'c'] } },
    ],
  });
  expect([...(lines.get('t')?.times ?? [])]).toEqual([1000, 1020]);
  expect([...(lines.get('t')?.high ?? [])]).toEqual([1.5, 2.5]);
  expect(lines.has('on')).toBe(false);
  expect(lines.has('words')).toBe(false);
});

it('moves a line to other times', () => {
  const line = linesOf({ resolution: 'raw', readings: [{ times: [1, 1, 1], values: { t: [1, 2, 3] } }] }).get('t');
  if (!line) throw new Error('no line');
  const moved = retime(line, (time) => (time === 2 ? null : time + 100));
  expect([...moved.times]).toEqual([101, 103]);
  expect([...moved.mean]).toEqual([1, 3]);
});
