import { describe, expect, it } from 'vitest';
import { futureTimes, isFutureDay, maxRangeMs, spanBefore, spanOf, validateRange } from './range';

const at = (text: string) => new Date(text).getTime();
// A Saturday.
const now = at('2026-11-21T14:05:30');

describe('shortcuts', () => {
  it.each([
    ['day', 7, '2026-11-20T14:05:30', now],
    ['week', 7, '2026-11-14T14:05:30', now],
    ['month', 7, '2026-10-22T14:05:30', now],
    ['today', 7, '2026-11-21T00:00:00', now],
    ['yesterday', 7, '2026-11-20T00:00:00', at('2026-11-21T00:00:00') - 1],
    ['thisWeek', 7, '2026-11-15T00:00:00', now],
    ['thisWeek', 1, '2026-11-16T00:00:00', now],
    ['lastWeek', 7, '2026-11-08T00:00:00', at('2026-11-15T00:00:00') - 1],
    ['lastWeek', 1, '2026-11-09T00:00:00', at('2026-11-16T00:00:00') - 1],
    ['thisMonth', 1, '2026-11-01T00:00:00', now],
  ] as const)('%s, with weeks from %d, begins at %s', (shortcut, weekStart, from, to) => {
    expect(spanOf(shortcut, now, weekStart)).toEqual({ from: at(from), to });
  });

  it('never cover more than 30 days', () => {
    const late = at('2026-10-31T23:30:00');
    expect(spanOf('thisMonth', late)).toEqual({ from: late - maxRangeMs, to: late });
    for (const name of ['day', 'week', 'month', 'today', 'yesterday', 'thisWeek', 'lastWeek', 'thisMonth'] as const) {
      const judged = validateRange(spanOf(name, late).from, spanOf(name, late).to, late);
      expect(judged, name).toHaveProperty('span');
    }
  });
});

describe('a range', () => {
  it('requires both ends', () => {
    const wanted = { error: 'history.rangeRequired', clear: false };
    expect(validateRange(null, now, now)).toEqual(wanted);
    expect(validateRange(now, null, now)).toEqual(wanted);
    expect(validateRange(null, null, now)).toEqual(wanted);
  });

  it('may be 30 days long and not a millisecond more', () => {
    expect(maxRangeMs).toBe(2_592_000_000);
    expect(validateRange(now - maxRangeMs, now, now)).toEqual({ span: { from: now - maxRangeMs, to: now } });
    expect(validateRange(now - maxRangeMs - 1, now, now)).toEqual({ error: 'history.rangeTooLong', clear: true });
  });

  it('must not end before it begins', () => {
    expect(validateRange(now, now - 1, now)).toEqual({ error: 'history.rangeOrder', clear: false });
    expect(validateRange(now, now, now)).toEqual({ span: { from: now, to: now } });
  });

  it('ends now at the latest: the current minute is now, a later one is in the future', () => {
    expect(validateRange(now - 1000, now + 29_000, now)).toEqual({ span: { from: now - 1000, to: now } });
    const future = { error: 'history.rangeFuture', clear: false };
    expect(validateRange(now - 1000, now + 30_000, now)).toEqual(future);
    expect(validateRange(now + 60_000, now + 120_000, now)).toEqual(future);
    // That the range is also too long or reversed matters less.
    expect(validateRange(now - 2 * maxRangeMs, now + 60_000, now)).toEqual(future);
    expect(validateRange(now + 60_000, now - 1000, now)).toEqual(future);
  });

  it('has a period of the same length just before it', () => {
    expect(spanBefore({ from: 1000, to: 1600 })).toEqual({ from: 400, to: 1000 });
  });
});

describe('the future', () => {
  it('begins tomorrow, by days', () => {
    expect(isFutureDay(at('2026-11-21T23:59:59'), now)).toBe(false);
    expect(isFutureDay(at('2026-11-22T00:00:00'), now)).toBe(true);
  });

  it('begins with the next minute, today', () => {
    const { hours, minutes } = futureTimes(now, now);
    expect(hours).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23]);
    expect(minutes(13)).toEqual([]);
    expect(minutes(14)).toHaveLength(54);
    expect(minutes(14)[0]).toBe(6);
    expect(minutes(15)).toHaveLength(60);
  });

  it('does not include past days', () => {
    const { hours, minutes } = futureTimes(at('2026-11-20T23:00:00'), now);
    expect(hours).toEqual([]);
    expect(minutes(23)).toEqual([]);
  });
});
