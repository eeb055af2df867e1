import { afterEach, beforeEach, expect, it } from 'vitest';
import { setTenantZone } from '@/lib/format/zone';
import { isMonth, nextMonth, pastMonths } from './months';

beforeEach(() => setTenantZone('Europe/Istanbul'));
afterEach(() => setTenantZone(undefined));

/** Istanbul is three hours ahead. */
const begin = (year: number, month: number) => Date.UTC(year, month - 1, 1) - 3 * 3_600_000;
const month = (year: number, number: number) => ({ from: begin(year, number), to: begin(year, number + 1) - 1 });
const now = begin(2026, 2) + 5 * 86_400_000;

it('offers the twelve months that are over, by the clock of the tenant', () => {
  const months = pastMonths(now);
  expect(months).toHaveLength(12);
  expect([months[0], months[1], months[11]]).toEqual([month(2026, 1), month(2025, 12), month(2025, 2)]);
});

it('goes from month to month, and not beyond now', () => {
  expect(nextMonth(month(2026, 1), -1, now)).toEqual(month(2025, 12));
  expect(nextMonth(month(2025, 12), 1, now)).toEqual(month(2026, 1));
  expect(nextMonth(month(2026, 1), 1, now)).toEqual({ from: begin(2026, 2), to: now });
});

it('knows a whole month from another range', () => {
  expect(isMonth(month(2026, 1))).toBe(true);
  expect(isMonth({ ...month(2026, 1), to: now })).toBe(false);
});
