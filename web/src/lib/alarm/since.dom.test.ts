import i18next from 'i18next';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatFor } from '@/lib/format/format';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { plainText, type SentencePart } from './sentence';
import { type Since, sinceOf, sinceParts, sinceText } from './since';

const at = (text: string) => new Date(text).getTime();
const now = at('2026-11-25T23:50:00');
const since = (change: Partial<Since> = {}): Since => ({
  holdsSince: at('2026-10-30T14:05:00'),
  startTime: at('2026-11-25T23:31:20'),
  resolveStatus: 0,
  ...change,
});
const soil: SentencePart[] = [
  { text: 'Soil', strong: true },
  { text: ' below 18%', strong: false },
];
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

async function withLanguage(language: Language) {
  await useLanguage.getState().setLanguage(language);
  const words = [formatFor(language), i18next.getFixedT(language)] as const;
  return {
    card: (one: Since) => plain(sinceText(one, now, ...words)),
    detail: (one: Since, what: SentencePart[] | 'silent') => plain(plainText(sinceParts(one, what, now, ...words))),
  };
}

beforeEach(() => vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => vi.useRealTimers());

describe('the text of since and noticed', () => {
  it.each([
    [
      'en-us',
      'Since Oct 30, noticed 23:31',
      'Soil below 18% since Oct 30, 14:05, noticed 23:31',
      'Silent since Oct 30, 14:05, noticed 23:31',
    ],
    [
      'zh-cn',
      '10月30日起，23:31发现',
      '10月30日14:05起Soil below 18%，23:31发现',
      '10月30日14:05起没有消息，23:31发现',
    ],
    [
      'tr-tr',
      'Başlangıç: 30 Eki, fark edildi: 23:31',
      'Soil below 18%, başlangıç: 30 Eki 14:05, fark edildi: 23:31',
      'Cihazdan haber yok, başlangıç: 30 Eki 14:05, fark edildi: 23:31',
    ],
    [
      'ru-ru',
      'С 30 окт., замечено в 23:31',
      'Soil below 18% с 30 окт., 14:05, замечено в 23:31',
      'Устройство молчит с 30 окт., 14:05, замечено в 23:31',
    ],
  ] as const)('is said in %s', async (language, card, readings, silent) => {
    const sentences = await withLanguage(language);
    expect(sentences.card(since())).toBe(card);
    expect(sentences.detail(since(), soil)).toBe(readings);
    expect(sentences.detail(since(), 'silent')).toBe(silent);
  });

  it('includes the time of day within the last day, and the day of noticing when it is not today', async () => {
    const { card, detail } = await withLanguage('en-us');
    expect(card(since({ holdsSince: at('2026-11-25T22:10:00') }))).toBe('Since 22:10, noticed 23:31');
    expect(card(since({ holdsSince: at('2026-11-24T23:55:00') }))).toBe('Since Nov 24, 23:55, noticed 23:31');
    const yesterday = since({ startTime: at('2026-11-24T08:00:00') });
    expect(card(yesterday)).toBe('Since Oct 30, noticed Nov 24, 08:00');
    expect(detail(yesterday, soil)).toBe('Soil below 18% since Oct 30, 14:05, noticed Nov 24, 08:00');
    const russian = await withLanguage('ru-ru');
    expect(russian.card(yesterday)).toBe('С 30 окт., замечено 24 нояб., 08:00');
  });

  it.each([
    [
      'en-us',
      'Since May 17, noticed 23:31',
      'Soil below 18% since May 17, noticed 23:31',
      'For more than 30 days, noticed 23:31',
      'Soil below 18% for more than a year, noticed 23:31',
    ],
    [
      'zh-cn',
      '5月17日起，23:31发现',
      '5月17日起Soil below 18%，23:31发现',
      '已超过30天，23:31发现',
      'Soil below 18%已超过一年，23:31发现',
    ],
    [
      'tr-tr',
      'Başlangıç: 17 May, fark edildi: 23:31',
      'Soil below 18%, başlangıç: 17 May, fark edildi: 23:31',
      '30 günden uzun süredir, fark edildi: 23:31',
      'Bir yıldan uzun süredir Soil below 18%, fark edildi: 23:31',
    ],
    [
      'ru-ru',
      'С 17 мая, замечено в 23:31',
      'Soil below 18% с 17 мая, замечено в 23:31',
      'Более 30 дней, замечено в 23:31',
      'Soil below 18% более года, замечено в 23:31',
    ],
  ] as const)('is the day, or for more than how long, beyond 30 days in %s', async (language, ...want) => {
    const { card, detail } = await withLanguage(language);
    const day = since({ holdsSince: at('2026-05-17T04:12:00'), holdsSinceDay: true });
    const longer = (days: number) =>
      since({ holdsSince: since().startTime - days * 24 * 3_600_000, holdsSinceBefore: true });
    expect([card(day), detail(day, soil), card(longer(30)), detail(longer(365), soil)]).toEqual(want);
  });

  it('is when it was noticed while it is not known', async () => {
    const { card } = await withLanguage('en-us');
    expect(card(sinceOf({ startTime: since().startTime }))).toBe('Since 23:31');
  });

  it('omits the noticed time in the same minute', async () => {
    const { card, detail } = await withLanguage('en-us');
    const same = since({ holdsSince: at('2026-11-25T23:31:00') });
    expect(card(same)).toBe('Since 23:31');
    expect(detail(same, soil)).toBe('Soil below 18% since 23:31');
  });

  it('is in the past tense for an ended notice', async () => {
    const { card, detail } = await withLanguage('en-us');
    const over = since({ resolveStatus: 1 });
    expect(card(over)).toBe('From Oct 30 on, noticed 23:31');
    expect(detail(over, soil)).toBe('Soil below 18% from Oct 30, 14:05 on, noticed 23:31');
    expect(detail(over, 'silent')).toBe('Silent from Oct 30, 14:05 on, noticed 23:31');
  });

  it('keeps the strong parts of the conditions, and makes the time strong', async () => {
    await withLanguage('en-us');
    const parts = sinceParts(since(), soil, now, formatFor('en-us'), i18next.getFixedT('en-us'));
    expect(parts.filter(({ strong }) => strong).map(({ text }) => text)).toEqual(['Soil', 'Oct 30, 14:05']);
  });
});
