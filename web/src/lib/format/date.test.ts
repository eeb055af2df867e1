import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Language } from '@/lib/i18n';
import { ageOf } from './age';
import { formatDateTime, formatDay, formatTime, formatZone, formatZoned, nextMidnight, startOfDay } from './date';

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

  it('takes a time ahead of the clock for now', () => {
    expect(ageOf(now + 5 * minute, now)).toEqual({ kind: 'now' });
  });

  it('knows yesterday by the calendar', () => {
    expect(ageOf(at('2026-11-20T00:00:00'), now)).toEqual({ kind: 'yesterday' });
    expect(ageOf(at('2026-11-19T23:59:59'), now)).toEqual({ kind: 'date' });
  });
});

describe('dates', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  const moment = at('2026-11-19T05:40:00');

  it.each<[Language, string, string, string]>([
    ['en-us', '19 Nov', '19 Nov 2026', 'Nov 19, 2026, 05:40'],
    ['zh-cn', '11月19日', '2026年11月19日', '2026-11-19 05:40'],
    ['tr-tr', '19 Kas', '19 Kas 2026', '19.11.2026 05:40'],
    ['ru-ru', '19 нояб.', '19 нояб. 2026 г.', '19.11.2026, 05:40'],
  ])('are written in %s as %s, %s and %s', (language, thisYear, nextYear, full) => {
    expect(formatDay(moment, at('2026-11-21T00:00:00'), language)).toBe(thisYear);
    expect(formatDay(moment, at('2027-01-01T00:00:00'), language)).toBe(nextYear);
    expect(formatDateTime(moment, language)).toBe(full);
  });

  it.each([
    ['2026-10-24T23:59:59Z', '25.10.2026 01:59'],
    ['2026-10-25T00:00:00Z', '25.10.2026 02:00 UTC+2'],
    ['2026-10-25T00:59:59Z', '25.10.2026 02:59 UTC+2'],
    ['2026-10-25T01:00:00Z', '25.10.2026 02:00 UTC+1'],
    ['2026-10-25T01:59:59Z', '25.10.2026 02:59 UTC+1'],
    ['2026-10-25T02:00:00Z', '25.10.2026 03:00'],
    ['2026-03-29T00:59:59Z', '29.03.2026 01:59'],
    ['2026-03-29T01:00:00Z', '29.03.2026 03:00'],
  ])('tell the hours apart that come twice: %s is %s', (time, expected) => {
    vi.stubEnv('TZ', 'Europe/Berlin');
    expect(formatDateTime(at(time), 'tr-tr')).toBe(expected);
  });

  it('have seconds before the zone where they are wanted', () => {
    vi.stubEnv('TZ', 'Australia/Lord_Howe'); // its clocks are set by half an hour
    expect(formatDateTime(at('2026-04-04T14:45:07Z'), 'ru-ru', 'seconds')).toBe('05.04.2026, 01:45:07 UTC+11');
    expect(formatDateTime(at('2026-04-04T15:15:07Z'), 'ru-ru', 'seconds')).toBe('05.04.2026, 01:45:07 UTC+10:30');
    expect(formatZoned(at('2026-04-04T15:15:07Z'), 'ru-ru')).toBe('05.04.2026, 01:45 (UTC+10:30)');
  });

  it('show midnight as 00:00', () => {
    expect(formatTime(at('2026-11-19T00:00:00'))).toBe('00:00');
    expect(formatDateTime(at('2026-11-19T00:05:00'), 'en-us')).toBe('Nov 19, 2026, 00:05');
  });

  it('begin and end at midnight', () => {
    expect(startOfDay(moment)).toBe(at('2026-11-19T00:00:00'));
    expect(startOfDay(startOfDay(moment))).toBe(startOfDay(moment));
    expect(nextMidnight(at('2026-12-31T23:59:59'))).toBe(at('2027-01-01T00:00:00'));
    expect(nextMidnight(at('2026-12-31T00:00:00'))).toBe(at('2027-01-01T00:00:00'));
  });

  it.each([
    [-180, 'UTC+3'],
    [-345, 'UTC+5:45'],
    [210, 'UTC-3:30'],
    [0, 'UTC'],
  ])('name a zone that is %d minutes behind as %s', (behind, expected) => {
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(behind);
    expect(formatZone(moment)).toBe(expected);
  });
});
