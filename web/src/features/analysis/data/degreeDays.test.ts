import { afterEach, beforeEach, expect, it } from 'vitest';
import { setTenantZone } from '@/lib/format/zone';
import { degreeDays, seasonStart } from './degreeDays';
import type { Line } from './line';

const day = 86_400_000;
const march = Date.UTC(2026, 2, 1);
beforeEach(() => setTenantZone('UTC'));
afterEach(() => setTenantZone(undefined));

function days(...list: [index: number, low: number, high: number][]): Line {
  const of = (values: number[]) => Float64Array.from(values);
  return {
    resolution: 'day',
    times: of(list.map(([index]) => march + index * day)),
    low: of(list.map(([, low]) => low)),
    high: of(list.map(([, , high]) => high)),
    mean: of(list.map(([, low, high]) => (low + high) / 2)),
    count: of(list.map(() => 24)),
    sum: of(list.map(() => 0)),
  };
}

it('adds up what each day is above the base', () => {
  const found = degreeDays(days([0, 8, 16], [1, 2, 10], [2, 10, 20]), { from: march, to: march + 9 * day }, 10);
  expect(found.total).toBe(2 + 0 + 5);
  expect(found.missing).toBe(0);
  expect(found.at(march)).toBe(0);
  expect(found.at(march + day / 2)).toBe(1);
  expect(found.at(march + 2 * day)).toBe(2);
  expect(found.at(march + 3 * day)).toBe(7);
  expect(found.at(march + 1.5 * day)).toBe(2);
  expect(found.at(march - 1)).toBeNull();
  expect(found.at(march + 3 * day + 1)).toBeNull();
});

it('takes a day without temperatures like the one before, and counts it', () => {
  const found = degreeDays(days([0, 10, 14], [3, 10, 12]), { from: march, to: march + 9 * day }, 10);
  expect(found.missing).toBe(2);
  expect(found.total).toBe(2 + 2 + 2 + 1);
  const late = degreeDays(days([2, 10, 14]), { from: march, to: march + 9 * day }, 10);
  expect([late.missing, late.total]).toEqual([2, 6]);
});

it('knows nothing without temperatures', () => {
  const found = degreeDays(days(), { from: march, to: march + day }, 10);
  expect([found.total, found.at(march)]).toEqual([0, null]);
});

it('begins at the last such date', () => {
  expect(seasonStart('03-01', Date.UTC(2026, 6, 1))).toBe(march);
  expect(seasonStart('10-01', Date.UTC(2026, 6, 1))).toBe(Date.UTC(2025, 9, 1));
});
