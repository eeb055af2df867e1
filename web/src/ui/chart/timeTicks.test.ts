import { describe, expect, it } from 'vitest';
import { type Language, languageCodes } from '@/lib/i18n/languages';
import { estimateWidth } from './measure';
import { type TimeAxis, timeTicks } from './timeTicks';

const at = (text: string) => new Date(text).getTime();
const hour = 3_600_000;
const day = 24 * hour;

/** The widths of the history on screens of 1440, 768 and 360 pixels. */
const charts = [
  { left: 64, width: 820, chart: 900 },
  { left: 64, width: 640, chart: 720 },
  { left: 56, width: 256, chart: 328 },
];

const placed = (axis: TimeAxis, language: Language) =>
  timeTicks(axis, language, estimateWidth).map(({ time, words }) => {
    const x = axis.left + ((time - axis.from) / (axis.to - axis.from)) * axis.width;
    return { words, from: x - estimateWidth(words) / 2, to: x + estimateWidth(words) / 2 };
  });

describe.each(languageCodes)('the time ticks of a chart, in %s', (language) => {
  it('are never cut off and never touch, for any length and start of the window', () => {
    for (const place of charts) {
      for (const length of [
        10 * 60_000,
        hour,
        6 * hour,
        1.4 * day,
        7 * day,
        30 * day,
        90 * day,
        365 * day,
        3650 * day,
      ]) {
        for (let minutes = 0; minutes < 1440; minutes += 97) {
          const from = at('2026-10-20T00:00:00') + minutes * 60_000;
          const axis = { ...place, from, to: from + length };
          const names = placed(axis, language);
          expect(names.length, `${place.width} px, ${length} ms from ${minutes}`).toBeGreaterThanOrEqual(2);
          for (const [index, { from: start, to }] of names.entries()) {
            expect(start).toBeGreaterThanOrEqual(0);
            expect(to).toBeLessThanOrEqual(place.chart);
            if (index > 0) expect(start).toBeGreaterThan((names[index - 1]?.to ?? 0) + 10);
          }
        }
      }
    }
  });
});

it('are round times at even distances, with days by name', () => {
  const axis = { ...charts[0], from: at('2026-11-16T09:27:00'), to: at('2026-11-17T19:03:00') } as TimeAxis;
  expect(timeTicks(axis, 'en-us', estimateWidth).map(({ words }) => words)).toEqual([
    '12:00',
    '15:00',
    '18:00',
    '21:00',
    'Nov 17',
    '03:00',
    '06:00',
    '09:00',
    '12:00',
    '15:00',
    '18:00',
  ]);
});

it('include the day when there is no midnight', () => {
  const of = (place: (typeof charts)[number] | undefined) =>
    timeTicks(
      { ...place, from: at('2026-11-16T09:27:00'), to: at('2026-11-16T18:27:00') } as TimeAxis,
      'ru-ru',
      estimateWidth,
    ).map(({ words }) => words);
  expect(of(charts[1])).toEqual(['16 нояб., 10:00', '12:00', '14:00', '16:00', '18:00']);
  // Two labels would be too few for an axis.
  expect(of(charts[2])).toEqual(['10:00', '12:00', '14:00', '16:00', '18:00']);
});

it('keep their rhythm of days across months', () => {
  const axis = { ...charts[0], from: at('2026-10-24T09:00:00'), to: at('2026-11-23T09:00:00') } as TimeAxis;
  const times = timeTicks(axis, 'en-us', estimateWidth).map(({ time }) => Math.round((time - axis.from) / day));
  expect(times.length).toBeGreaterThan(8);
  const paces = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(new Set(paces).size).toBe(1);
});

it('labels a year by months, and its January by the year', () => {
  const axis = { left: 64, width: 820, chart: 900, from: at('2025-11-20T00:00:00'), to: at('2026-11-20T00:00:00') };
  const words = timeTicks(axis, 'en-us', estimateWidth).map((tick) => tick.words);
  expect(words).toEqual(['Dec', '2026', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov']);
  expect(timeTicks({ ...axis, width: 256, chart: 328 }, 'zh-cn', estimateWidth)[0]?.words).toBe('2026年');
});
