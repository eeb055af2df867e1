import { afterEach, describe, expect, it, vi } from 'vitest';
import { ageOf } from './age';
import { formatDateTime, formatDayOfYear, formatTime, nextMidnight, startOfDay } from './date';

const at = (text: string) => new Date(text).getTime();
const minute = 60_000;
const hour = 60 * minute;

describe('ageOf', () => {
  const now = at('2026-11-21T14:05:00');

  it.each([
    [0, { kind: 'now' }],
    [999, { kind: 'now' }],
    [1000, { kind: 'seconds', count: 1 }],
    [59_999, { kind: 'seconds', count: 59 }],
    [minute, { kind: 'minutes', count: 1 }],
    [hour - 1, { kind: 'minutes', count: 59 }],
    [hour, { kind: 'hours', count: 1 }],
    [24 * hour - 1, { kind: 'hours', count: 23 }],
    [24 * hour, { kind: 'yesterday' }],
  ])('after %d ms is %o', (passed, expected) => {
    expect(ageOf(now - passed, now)).toEqual(expected);
  });

  it('treats a future time as now', () => {
    expect(ageOf(now + 5 * minute, now)).toEqual({ kind: 'now' });
  });

  it('determines yesterday by the calendar', () => {
    expect(ageOf(at('2026-11-20T00:00:00'), now)).toEqual({ kind: 'yesterday' });
    expect(ageOf(at('2026-11-19T23:59:59'), now)).toEqual({ kind: 'date' });
  });
});

describe('dates', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const moment = at('2026-11-19T05:40:00');

  it('put seconds before the zone', () => {
    vi.stubEnv('TZ', 'Australia/Lord_Howe'); // its daylight saving is half an hour
    expect(formatDateTime(at('2026-04-04T14:45:07Z'), 'ru-ru', 'seconds')).toBe('05.04.2026, 01:45:07 UTC+11');
    expect(formatDateTime(at('2026-04-04T15:15:07Z'), 'ru-ru', 'seconds')).toBe('05.04.2026, 01:45:07 UTC+10:30');
  });

  it('show midnight as 00:00', () => {
    expect(formatTime(at('2026-11-19T00:00:00'))).toBe('00:00');
    expect(formatDateTime(at('2026-11-19T00:05:00'), 'en-us')).toBe('Nov 19, 2026, 00:05');
  });

  it('start and end at midnight', () => {
    expect(startOfDay(moment)).toBe(at('2026-11-19T00:00:00'));
    expect(startOfDay(startOfDay(moment))).toBe(startOfDay(moment));
    expect(nextMidnight(at('2026-12-31T23:59:59'))).toBe(at('2027-01-01T00:00:00'));
    expect(nextMidnight(at('2026-12-31T00:00:00'))).toBe(at('2027-01-01T00:00:00'));
  });

  it('without a year omit it', () => {
    const written = (['en-us', 'zh-cn', 'tr-tr', 'ru-ru'] as const).map((code) => formatDayOfYear(2, 29, code));
    expect(written).toEqual(['February 29', '2月29日', '29 Şubat', '29 февраля']);
  });
});
