import { describe, expect, it } from 'vitest';
import type { Format } from '@/lib/format/format';
import { formatWeekdays } from '@/lib/format/weekday';
import type { Language } from '@/lib/i18n/i18n';
import {
  clockSteps,
  clockText,
  hoursText,
  isNotifiedAt,
  mergedSlots,
  minutesOf,
  periodText,
  slotsText,
} from './period';

const night = [...Array.from({ length: 15 }, (_, i) => i), ...Array.from({ length: 12 }, (_, i) => 36 + i)];
const all = Array.from({ length: 48 }, (_, i) => i);
const period = (timePeriods: number[]) => ({ complexTime: 1 as const, timePeriods });
const simple = (startTime?: string, endTime?: string) => ({
  complexTime: 0 as const,
  timePeriods: [],
  startTime,
  endTime,
});

describe('times of the day', () => {
  it('go from 00:00 to 24:00 in quarter hours', () => {
    expect(clockSteps).toHaveLength(97);
    expect([clockSteps[0], clockSteps[1], clockSteps.at(-2), clockSteps.at(-1)]).toEqual([
      '00:00',
      '00:15',
      '23:45',
      '24:00',
    ]);
  });

  it('are parsed and formatted', () => {
    for (const clock of clockSteps) expect(clockText(minutesOf(clock) ?? -1)).toBe(clock);
    for (const wrong of [undefined, '', '7:30', '24:15', '12:60', 'noon']) expect(minutesOf(wrong)).toBeUndefined();
  });
});

describe('half hours', () => {
  it('merge with their neighbours, whatever their order', () => {
    expect(mergedSlots([3, 1, 2, 7, 2])).toEqual([
      { start: 30, end: 120 },
      { start: 210, end: 240 },
    ]);
    expect(mergedSlots([])).toEqual([]);
  });

  it.each([
    [night, '18:00–24:00, 00:00–07:30'],
    [[0, 47], '23:30–24:00, 00:00–00:30'],
    [[47], '23:30–24:00'],
    [[0, 1, 20], '00:00–01:00, 10:00–10:30'],
    [all, '00:00–24:00'],
    [[], ''],
  ])('%j in words', (slots, words) => {
    expect(slotsText(slots)).toBe(words);
  });
});

describe('a period in short', () => {
  it.each([
    [simple('06:00', '20:00'), '06:00–20:00'],
    [simple('00:00', '24:00'), undefined],
    [simple(), undefined],
    [period(night), '18:00–07:30'],
    [period([...night, 20]), '18:00–07:30, 10:00–10:30'],
    [period([10, 11, 20]), '05:00–06:00, 10:00–10:30'],
    [period(all), undefined],
    [period([]), ''],
  ])('%j', (given, words) => {
    expect(hoursText(given)).toBe(words);
  });

  const written = (language: Language) =>
    ({ language, weekdays: (days) => formatWeekdays(days, language) }) as Partial<Format> as Format;
  const workdays = [1, 2, 3, 4, 5];

  it.each([
    ['en-us', 'Mon–Fri, 18:00–07:30', 'Mon–Fri'],
    ['zh-cn', '周一至周五18:00–07:30', '周一至周五'],
    ['tr-tr', 'Pzt–Cum 18:00–07:30', 'Pzt–Cum'],
    ['ru-ru', 'пн–пт, 18:00–07:30', 'пн–пт'],
  ] as const)('with its days, in %s', (language, both, alone) => {
    expect(periodText({ ...period(night), weekdays: workdays }, written(language))).toBe(both);
    expect(periodText({ ...period(all), weekdays: workdays }, written(language))).toBe(alone);
    expect(periodText({ ...simple(), weekdays: workdays }, written(language))).toBe(alone);
  });

  it.each([[[]], [[1, 2, 3, 4, 5, 6, 7]]])('omits weekdays when all are set: %j', (weekdays) => {
    expect(periodText({ ...period(night), weekdays }, written('en-us'))).toBe('18:00–07:30');
    expect(periodText({ ...simple(), weekdays }, written('en-us'))).toBeUndefined();
  });
});

describe('whether people are notified', () => {
  const simple = { complexTime: 0 as const, startTime: '06:00', endTime: '20:00', timePeriods: [], weekdays: [] };
  const at = (clock: string) => Date.parse(`2026-11-21T${clock}:00+03:00`);

  it.each([
    ['05:59', false],
    ['06:00', true],
    ['19:59', true],
    ['20:00', false],
  ])('at %s by the tenant’s clock, from start to end: %s', (clock, told) => {
    expect(isNotifiedAt(simple, at(clock), 'Europe/Istanbul')).toBe(told);
  });

  it.each([
    ['23:30', true],
    ['00:10', true],
    ['00:30', false],
    ['12:00', false],
  ])('at %s in half hours: %s', (clock, told) => {
    const custom = { complexTime: 1 as const, timePeriods: [0, 47], weekdays: [] };
    expect(isNotifiedAt(custom, at(clock), 'Europe/Istanbul')).toBe(told);
  });

  it('is always true without hours', () => {
    expect(isNotifiedAt({ complexTime: 0, timePeriods: [], weekdays: [] }, at('03:00'), 'Europe/Istanbul')).toBe(true);
  });

  // 2026-11-20 is a Friday.
  it.each([
    ['2026-11-20T00:10:00+03:00', 'Europe/Istanbul', true],
    ['2026-11-20T23:50:00+03:00', 'Europe/Istanbul', true],
    ['2026-11-21T00:10:00+03:00', 'Europe/Istanbul', false],
    ['2026-11-22T23:50:00+03:00', 'Europe/Istanbul', false],
    ['2026-11-22T23:50:00+03:00', 'Asia/Shanghai', false],
    ['2026-11-23T00:10:00+03:00', 'Europe/Istanbul', true],
    // Already Monday in Auckland.
    ['2026-11-22T11:10:00Z', 'Pacific/Auckland', true],
  ])('at %s in %s, with half hours around midnight on workdays: %s', (time, zone, told) => {
    const custom = { complexTime: 1 as const, timePeriods: [0, 47], weekdays: [1, 2, 3, 4, 5] };
    expect(isNotifiedAt(custom, Date.parse(time), zone)).toBe(told);
    // Weekdays alone cover the whole day.
    expect(isNotifiedAt({ complexTime: 0, timePeriods: [], weekdays: [6] }, Date.parse(time), 'Europe/Istanbul')).toBe(
      time.startsWith('2026-11-21'),
    );
  });
});
