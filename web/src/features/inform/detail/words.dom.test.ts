import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import { formatFor } from '@/lib/format/format';
import { type languages, useLanguage } from '@/lib/i18n';
import { durationText, momentText } from './words';

const said = async (ms: number, code: (typeof languages)[number]['code'] = 'en-us') => {
  await useLanguage.getState().setLanguage(code);
  return durationText(ms, formatFor(code), i18next.getFixedT(code)).replaceAll('\u00a0', ' ');
};

describe('how long it lasted', () => {
  it.each([
    [0, '0 min 0 s'],
    [-5, '0 min 0 s'],
    [59_999, '0 min 59 s'],
    [1_319_000, '21 min 59 s'],
    [3_600_000, '1 h 0 min 0 s'],
    [5_712_000, '1 h 35 min 12 s'],
    [2 * 86_400_000 + 61_000, '2 days 1 min 1 s'],
  ])('%d ms', async (ms, text) => {
    expect(await said(ms)).toBe(text);
  });

  it.each([
    ['zh-cn', '21分钟59秒'],
    ['tr-tr', '21 dk 59 sn'],
    ['ru-ru', '21 мин 59 с'],
  ] as const)('in %s', async (code, text) => {
    expect(await said(1_319_000, code)).toBe(text);
  });
});

it('names the day of a moment that is not of today', () => {
  const format = formatFor('en-us');
  const now = new Date(2026, 10, 21, 12).getTime();
  expect(momentText(new Date(2026, 10, 21, 5, 52, 10).getTime(), now, format)).toBe('05:52:10');
  expect(momentText(new Date(2026, 10, 20, 23, 59, 59).getTime(), now, format)).toBe('20 Nov, 23:59:59');
});
