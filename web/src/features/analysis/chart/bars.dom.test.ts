import { afterEach, beforeEach, expect, it } from 'vitest';
import { setTenantZone } from '@/lib/format/zone';
import type { Line } from '../data/line';
import { barPeriod, barsOf, periodAt } from './bars';

const hour = 3_600_000;
const day = 24 * hour;
beforeEach(() => setTenantZone('Europe/Berlin'));
afterEach(() => setTenantZone(undefined));

function line(resolution: Line['resolution'], times: number[], sums: number[]): Line {
  const of = (list: number[]) => Float64Array.from(list);
  return {
    resolution,
    times: of(times),
    low: of(sums),
    mean: of(sums),
    high: of(sums),
    count: of(sums),
    sum: of(sums),
  };
}

it('chooses periods whose bars can be told apart', () => {
  const hours = [line('hour', [], [])];
  expect(barPeriod(hours, { from: 0, to: day }, 800)).toBe('hour');
  expect(barPeriod(hours, { from: 0, to: 30 * day }, 800)).toBe('day');
  expect(barPeriod(hours, { from: 0, to: 365 * day }, 300)).toBe('week');
  expect(barPeriod(hours, { from: 0, to: 3650 * day }, 300)).toBe('month');
  expect(barPeriod([line('day', [], [])], { from: 0, to: 3 * day }, 800)).toBe('day');
});

it('adds up by the calendar of the tenant', () => {
  // Midnight in Berlin is at 23:00 of UTC in winter, at 22:00 in summer.
  const times = [
    Date.parse('2026-01-31T22:00:00Z'),
    Date.parse('2026-01-31T23:00:00Z'),
    Date.parse('2026-02-01T10:00:00Z'),
  ];
  const days = barsOf(line('hour', times, [1, 2, 3]), 'time', 'day');
  expect(days.map(({ sum }) => sum)).toEqual([1, 5]);
  expect(days[1]?.from).toBe(Date.parse('2026-01-31T23:00:00Z'));
  expect(barsOf(line('hour', times, [1, 2, 3]), 'time', 'month').map(({ sum }) => sum)).toEqual([1, 5]);
  // January 31, 2026 is a Saturday, February 1 a Sunday.
  expect(barsOf(line('hour', times, [1, 2, 3]), 'time', 'week').map(({ sum }) => sum)).toEqual([6]);
  expect(periodAt(Date.parse('2026-03-29T12:00:00Z'), 'day')).toEqual({
    from: Date.parse('2026-03-28T23:00:00Z'),
    to: Date.parse('2026-03-29T22:00:00Z'),
  });
});

it('reaches to the next value over degree days', () => {
  expect(barsOf(line('day', [0, 5, 12], [1, 2, 3]), 'degreeDays', 'day')).toEqual([
    { from: 0, to: 5, sum: 1 },
    { from: 5, to: 12, sum: 2 },
    { from: 12, to: 12, sum: 3 },
  ]);
});
