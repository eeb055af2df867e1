import i18next from 'i18next';
import { expect, it } from 'vitest';
import { type Language, useLanguage } from '@/lib/i18n';
import { formatDuration } from './duration';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

it.each([
  ['en-us', 12 * minute + 5 * second, '12 min 5 s'],
  ['en-us', 3 * hour, '3 h'],
  ['en-us', 3 * day + 4 * hour + 59 * minute, '3 days 4 h'],
  ['en-us', day + 20 * minute, '1 day'],
  ['en-us', 999, '0 s'],
  ['zh-cn', 12 * minute + 5 * second, '12分钟5秒'],
  ['tr-tr', 12 * minute + 5 * second, '12 dk 5 sn'],
  ['ru-ru', 3 * day + 4 * hour, '3 дн. 4 ч'],
] satisfies [Language, number, string][])('in %s %i ms are %s', async (language, ms, words) => {
  await useLanguage.getState().setLanguage(language);
  expect(formatDuration(ms, language, i18next.t).replaceAll('\u00a0', ' ')).toBe(words);
});
