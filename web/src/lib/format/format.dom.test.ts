import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Language, languageCodes } from '@/lib/i18n/languages';
import { readTexts } from '@/test/texts';
import { formatFor, missingValue } from './format';

const nbsp = '\u00a0';

beforeAll(() => {
  for (const language of languageCodes) {
    i18next.addResourceBundle(language, 'translation', readTexts(language));
  }
});

/** Tests write a space for a no-break space. */
const joined = (text: string) => text.replaceAll(' ', nbsp);

describe('readings', () => {
  it.each<[Language, string, string]>([
    ['en-us', 'On', 'Off'],
    ['zh-cn', '开', '关'],
    ['tr-tr', 'Açık', 'Kapalı'],
    ['ru-ru', 'Вкл.', 'Выкл.'],
  ])('of booleans are words in %s', (language, on, off) => {
    const format = formatFor(language);
    expect(format.pieces({ value: true, unit: '' })).toEqual([{ kind: 'value', text: on }]);
    expect(format.pieces({ value: false, unit: 'x' })).toEqual([{ kind: 'value', text: off }]);
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

  it('without a value show as missing', () => {
    expect(formatFor('tr-tr').reading(undefined)).toBe(missingValue);
  });

  it('of text stay unchanged, an empty one shows as missing', () => {
    const format = formatFor('en-us');
    expect(format.reading({ value: 'open', unit: '' })).toBe('open');
    expect(format.reading({ value: '', unit: '' })).toBe(missingValue);
  });

  it('without a unit have no suffix', () => {
    expect(formatFor('en-us').reading({ value: 7.2, unit: '', precision: 1 })).toBe('7.2');
  });
});

describe('places', () => {
  it.each<[Language, string, string]>([
    ['en-us', '37.8571° N, 27.3412° E', '33.4° S'],
    ['zh-cn', '37.8571°N, 27.3412°E', '33.4°S'],
    ['tr-tr', '37.8571° K, 27.3412° D', '33.4° G'],
    ['ru-ru', '37.8571° с. ш., 27.3412° в. д.', '33.4° ю. ш.'],
  ])('have decimal points and the words of %s', (language, position, south) => {
    const format = formatFor(language);
    expect(joined(format.position(37.857_12, 27.341_21))).toBe(joined(position));
    expect(format.latitude(-33.41, 1)).toBe(joined(south));
  });

  it('west is not east', () => {
    expect(formatFor('en-us').longitude(-0.128, 2)).toBe(joined('0.13° W'));
    expect(formatFor('tr-tr').longitude(-0.128, 2)).toBe(joined('0.13° B'));
  });

  it('long distances are in kilometres', () => {
    expect(formatFor('en-us').distance(500)).toBe(joined('500 m'));
    expect(formatFor('ru-ru').distance(2000)).toBe(joined('2 км'));
    expect(formatFor('tr-tr').distance(1000)).toBe(joined('1 km'));
  });
});

describe('how long an answer took', () => {
  it.each([
    [0, '0.0 s'],
    [1440, '1.4 s'],
    [12_300, '12 s'],
  ])('%d ms', (ms, text) => {
    expect(formatFor('en-us').took(ms)).toBe(joined(text));
  });
});
