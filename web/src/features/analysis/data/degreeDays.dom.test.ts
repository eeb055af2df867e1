import { afterEach, beforeEach, expect, it } from 'vitest';
import { setTenantZone } from '@/lib/format/zone';
import { degreeDays, seasonStart } from './degreeDays';
import type { Line } from './line';

const day = 86_400_000;
const hour = 3_600_000;
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

const until = (day_: number) => ({ from: march, to: march + day_ * day });

it('adds up what each day is above the base', () => {
  const found = degreeDays(days([0, 8, 16], [1, 2, 10], [2, 10, 20]), until(3), 10);
  expect(found.total).toBe(2 + 0 + 5);
  expect([found.missing, found.reliable]).toEqual([0, true]);
  expect(found.at(march)).toBe(0);
  expect(found.at(march + day / 2)).toBe(1);
  expect(found.at(march + 2 * day)).toBe(2);
  expect(found.at(march + 3 * day)).toBe(7);
  expect(found.at(march + 1.5 * day)).toBe(2);
  expect(found.at(march - 1)).toBeNull();
  expect(found.at(march + 3 * day + 1)).toBeNull();
});

const season = (...missing: number[]) =>
  days(
    ...Array.from({ length: 60 }, (_, index): [number, number, number] => [index, 10, 14]).filter(
      ([index]) => !missing.includes(index),
    ),
  );

it('counts days by the calendar, of 23 hours too', () => {
  setTenantZone('America/Santiago');
  // The clocks skip midnight of the 6th: it begins at one o'clock.
  const fifth = Date.UTC(2026, 8, 5, 4);
  const begins = Array.from({ length: 61 }, (_, index) => fifth + index * day - (index > 1 ? hour : 0));
  const line = season(1, 3);
  line.times = Float64Array.from(begins.filter((_, index) => index !== 1 && index !== 3 && index < 60));
  const found = degreeDays(line, { from: fifth, to: begins[60] ?? 0 }, 10);
  expect([found.missing, found.total]).toEqual([2, 120]);
  expect(begins.map((begin) => found.at(begin))).toEqual(begins.map((_, index) => 2 * index));
});

it('takes a day without temperatures like the one before, and counts it', () => {
  const found = degreeDays(season(20, 21, 40), until(60), 10);
  expect([found.missing, found.reliable, found.total]).toEqual([3, true, 120]);
  expect(found.at(march + 60 * day)).toBe(120);
});

it('does not rely on a season that lacks too much', () => {
  const inARow = degreeDays(season(20, 21, 22, 23), until(60), 10);
  expect([inARow.missing, inARow.reliable, inARow.at(march + day)]).toEqual([4, false, null]);
  expect(degreeDays(season(5, 15, 25, 35), until(60), 10).reliable).toBe(false);
  expect(degreeDays(season(0, 1, 2, 3, 4, 5), until(60), 10).reliable).toBe(false);
  expect(degreeDays(season(), until(70), 10).reliable).toBe(false);
  expect(degreeDays(season(), until(61.5), 10).reliable).toBe(true);
});

it('knows nothing without temperatures', () => {
  const found = degreeDays(days(), until(1), 10);
  expect([found.total, found.reliable, found.at(march)]).toEqual([0, false, null]);
});

it('begins at the last such date', () => {
  expect(seasonStart('03-01', Date.UTC(2026, 6, 1))).toBe(march);
  expect(seasonStart('10-01', Date.UTC(2026, 6, 1))).toBe(Date.UTC(2025, 9, 1));
});
