import { afterEach, beforeEach, expect, it } from 'vitest';
import { setTenantZone } from '@/lib/format/zone';
import { movedSpan, spanOf, yearBefore, yearLater, zoomedSpan } from './span';

const at = (text: string) => Date.parse(text);
beforeEach(() => setTenantZone('Europe/Berlin'));
afterEach(() => setTenantZone(undefined));

it('reads the range of the address', () => {
  const now = at('2026-11-27T12:00:00Z');
  expect(spanOf({}, now)).toEqual({ from: at('2026-10-28T12:00:00Z'), to: now });
  expect(spanOf({ range: 'hour' }, now)).toEqual({ from: at('2026-11-27T11:00:00Z'), to: now });
  expect(spanOf({ range: 'year' }, now).from).toBe(at('2025-11-27T12:00:00Z'));
  expect(spanOf({ range: 'all' }, now)).toEqual({ from: 0, to: now });
  expect(spanOf({ range: 'day', from: 5, to: 7 }, now)).toEqual({ from: 5, to: 7 });
});

it('finds the same date of the year before, by the clock of the tenant', () => {
  expect(yearBefore(at('2026-11-27T12:34:56Z'))).toBe(at('2025-11-27T12:34:56Z'));
  // Summer began on March 29 in 2026 and on March 30 in 2025.
  expect(yearBefore(at('2026-03-29T12:00:00Z'))).toBe(at('2025-03-29T13:00:00Z'));
  expect(yearBefore(at('2028-02-29T12:00:00Z'))).toBe(at('2027-02-28T12:00:00Z'));
});

it('lays dates over the same dates, also behind a leap day', () => {
  const later = yearLater();
  expect(later(at('2027-02-28T10:00:00Z'))).toBe(at('2028-02-28T10:00:00Z'));
  expect(later(at('2027-03-01T10:00:00Z'))).toBe(at('2028-03-01T10:00:00Z'));
  expect(later(at('2027-11-01T10:00:00Z'))).toBe(at('2028-11-01T10:00:00Z'));
  expect(later(at('2028-02-28T10:00:00Z'))).toBe(at('2029-02-28T10:00:00Z'));
  expect(later(at('2028-02-29T10:00:00Z'))).toBeNull();
  expect(later(at('2028-03-01T10:00:00Z'))).toBe(at('2029-03-01T10:00:00Z'));
});

it('moves and zooms, not beyond now', () => {
  const span = { from: 100 * 3_600_000, to: 110 * 3_600_000 };
  const hours = ({ from, to }: typeof span) => [from / 3_600_000, to / 3_600_000];
  expect(hours(movedSpan(span, -0.5, 200 * 3_600_000))).toEqual([95, 105]);
  expect(hours(movedSpan(span, 1, 112 * 3_600_000))).toEqual([102, 112]);
  expect(hours(zoomedSpan(span, 0.5, 105 * 3_600_000, 200 * 3_600_000))).toEqual([102.5, 107.5]);
  expect(hours(zoomedSpan(span, 2, 105 * 3_600_000, 111 * 3_600_000))).toEqual([91, 111]);
});
