import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Language } from '@/lib/i18n';
import en from '@/locales/en-us.json';
import ru from '@/locales/ru-ru.json';
import tr from '@/locales/tr-tr.json';
import zh from '@/locales/zh-cn.json';
import { formatFor, missing } from './format';

const nbsp = '\u00a0';
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const now = new Date('2026-11-21T14:05:00').getTime();

beforeAll(() => {
  for (const [language, texts] of Object.entries({ 'en-us': en, 'ru-ru': ru, 'tr-tr': tr, 'zh-cn': zh })) {
    i18next.addResourceBundle(language, 'translation', texts);
  }
});

/** Tests write a space where a no-break space must stand. */
const joined = (text: string) => text.replaceAll(' ', nbsp);

describe('ages', () => {
  it.each<[Language, string[], string[]]>([
    ['en-us', ['now', '8 s', '2 min', '3 h'], ['now', '8 s ago', '2 min ago', '3 h ago']],
    ['zh-cn', ['刚刚', '8秒', '2分钟', '3小时'], ['刚刚', '8秒前', '2分钟前', '3小时前']],
    ['tr-tr', ['şimdi', '8 sn', '2 dk', '3 sa'], ['şimdi', '8 sn önce', '2 dk önce', '3 sa önce']],
    ['ru-ru', ['сейчас', '8 с', '2 мин', '3 ч'], ['сейчас', '8 с назад', '2 мин назад', '3 ч назад']],
  ])('count in %s', (language, alone, within) => {
    const format = formatFor(language);
    const times = [now, now - 8 * second, now - 2 * minute, now - 3 * hour];
    expect(times.map((time) => format.age(time, now))).toEqual(alone.map(joined));
    expect(times.map((time) => joined(format.ago(time, now)))).toEqual(within.map(joined));
  });

  it.each<[Language, string, string, string]>([
    ['en-us', 'Yesterday', 'yesterday', '19 Nov'],
    ['zh-cn', '昨天', '昨天', '11月19日'],
    ['tr-tr', 'Dün', 'dün', '19 Kas'],
    ['ru-ru', 'Вчера', 'вчера', '19 нояб.'],
  ])('become days in %s', (language, alone, within, day) => {
    const format = formatFor(language);
    expect(format.age(now - 30 * hour, now)).toBe(alone);
    expect(format.ago(now - 30 * hour, now)).toBe(within);
    expect(format.age(now - 48 * hour, now)).toBe(day);
    expect(format.ago(now - 48 * hour, now)).toBe(day);
  });
});

describe('a moment of another day', () => {
  it.each<[Language, RegExp]>([
    ['en-us', /^19 Nov, \d\d:\d\d$/],
    ['zh-cn', /^11月19日 \d\d:\d\d$/],
    ['tr-tr', /^19 Kas \d\d:\d\d$/],
    ['ru-ru', /^19 нояб\., \d\d:\d\d$/],
  ])('joins day and time as is written in %s', (language, written) => {
    expect(formatFor(language).moment(now - 48 * hour, now)).toMatch(written);
  });
});

describe('readings', () => {
  it.each<[Language, string, string]>([
    ['en-us', '−2.4 °C', '1,013.2 hPa'],
    ['zh-cn', '−2.4 °C', '1,013.2 hPa'],
    ['tr-tr', '−2,4 °C', '1.013,2 hPa'],
    ['ru-ru', '−2,4 °C', '1 013,2 гПа'],
  ])('are value and unit in one piece in %s', (language, cold, pressure) => {
    const format = formatFor(language);
    expect(format.reading({ value: -2.44, unit: '°C', precision: 1 })).toBe(joined(cold));
    expect(format.reading({ value: 1013.2, unit: 'hPa', precision: 1 })).toBe(joined(pressure));
  });

  it.each<[Language, string, string]>([
    ['en-us', 'On', 'Off'],
    ['zh-cn', '开', '关'],
    ['tr-tr', 'Açık', 'Kapalı'],
    ['ru-ru', 'Вкл.', 'Выкл.'],
  ])('of yes and no are words in %s', (language, on, off) => {
    const format = formatFor(language);
    expect(format.pieces({ value: true, unit: '' })).toEqual([{ kind: 'value', text: on }]);
    expect(format.pieces({ value: false, unit: 'x' })).toEqual([{ kind: 'value', text: off }]);
  });

  it.each<[Language, string, string, string]>([
    ['en-us', '91.5 %', '1,234.0 %', '−5.0 %'],
    ['zh-cn', '91.5 %', '1,234.0 %', '−5.0 %'],
    ['tr-tr', '%91,5', '%1.234,0', '−%5,0'],
    ['ru-ru', '91,5 %', '1 234,0 %', '−5,0 %'],
  ])('in percent stand in %s as %s', (language, wet, thousand, below) => {
    const percent = (value: number) => formatFor(language).reading({ value, unit: '%', precision: 1 });
    expect([percent(91.5), percent(1234), percent(-5)]).toEqual([wet, thousand, below].map(joined));
  });

  it('come in pieces in the order of the language', () => {
    const wet = { value: 91.5, unit: '%', precision: 1 };
    expect(formatFor('tr-tr').pieces(wet)).toEqual([
      { kind: 'unit', text: '%' },
      { kind: 'value', text: '91,5' },
    ]);
    expect(formatFor('ru-ru').pieces(wet)).toEqual([
      { kind: 'value', text: '91,5' },
      { kind: 'unit', text: `${nbsp}%` },
    ]);
  });

  it('that are not there are missing', () => {
    expect(formatFor('tr-tr').reading(undefined)).toBe(missing);
  });

  it('of text are told as they are, an empty one as missing', () => {
    const format = formatFor('en-us');
    expect(format.reading({ value: 'open', unit: '' })).toBe('open');
    expect(format.reading({ value: '', unit: '' })).toBe(missing);
  });

  it('without a unit have nothing behind them', () => {
    expect(formatFor('en-us').reading({ value: 7.2, unit: '', precision: 1 })).toBe('7.2');
  });
});

describe('places', () => {
  it.each<[Language, string, string]>([
    ['en-us', '37.8571° N, 27.3412° E', '33.4° S'],
    ['zh-cn', '37.8571°N, 27.3412°E', '33.4°S'],
    ['tr-tr', '37.8571° K, 27.3412° D', '33.4° G'],
    ['ru-ru', '37.8571° с. ш., 27.3412° в. д.', '33.4° ю. ш.'],
  ])('have dots and the words of %s', (language, position, south) => {
    const format = formatFor(language);
    expect(joined(format.position(37.857_12, 27.341_21))).toBe(joined(position));
    expect(format.latitude(-33.41, 1)).toBe(joined(south));
  });

  it('west is not east', () => {
    expect(formatFor('en-us').longitude(-0.128, 2)).toBe(joined('0.13° W'));
    expect(formatFor('tr-tr').longitude(-0.128, 2)).toBe(joined('0.13° B'));
  });

  it('distances turn to kilometres', () => {
    expect(formatFor('en-us').distance(500)).toBe(joined('500 m'));
    expect(formatFor('ru-ru').distance(2000)).toBe(joined('2 км'));
    expect(formatFor('tr-tr').distance(1000)).toBe(joined('1 km'));
  });
});

describe('moments', () => {
  it('have a day when it is not today', () => {
    const format = formatFor('en-us');
    expect(format.moment(new Date('2026-11-21T05:52:00').getTime(), now)).toBe('05:52');
    expect(format.moment(new Date('2026-11-20T23:10:00').getTime(), now)).toBe('20 Nov, 23:10');
  });

  it('in full say their zone', () => {
    expect(formatFor('en-us').absolute(now)).toMatch(/^Nov 21, 2026, 14:05 \(UTC([+-]\d+(:\d\d)?)?\)$/);
  });
});
