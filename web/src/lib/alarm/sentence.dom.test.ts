import { describe, expect, it } from 'vitest';
import { type Language, languages, useLanguage } from '@/lib/i18n/i18n';
import { clearingParts, conditionParts, plainText, ruleParts, type SentenceCondition } from './sentence';

const condition = (change: Partial<SentenceCondition> = {}): SentenceCondition => ({
  andor: 'and',
  name: 'T',
  unit: '°C',
  subconditions: '<',
  value: 2,
  ...change,
});
const three = [
  condition(),
  condition({ name: 'H', unit: '%', subconditions: '>', value: 85 }),
  condition({ andor: 'or', name: 'W', unit: '', subconditions: '=', value: 'wet' }),
];
const rule = (change: object = {}) => ({
  triggerType: 0 as const,
  conditions: three,
  hitCounts: 3,
  durations: 600_000,
  ...change,
});
/** A non-breaking space separates numbers from their units. */
const plain = (parts: Parameters<typeof plainText>[0]) => plainText(parts).replaceAll('\u00a0', ' ');

async function withLanguage(language: Language) {
  await useLanguage.getState().setLanguage(language);
  return language;
}

describe('a rule as a sentence', () => {
  it.each([
    [
      'en-us',
      'Alarm when ((T is below 2 °C and H is above 85%) or W equals wet), for at least 3 readings within 10 minutes.',
      '(T below 2 °C and H above 85%) or W equals wet, 3 readings within 10 min',
    ],
    [
      'zh-cn',
      '（（T低于2 °C且H高于85%）或W等于wet），且10分钟内至少有3个读数如此时告警。',
      '（T低于2 °C且H高于85%）或W等于wet，10分钟内3个读数',
    ],
    [
      'tr-tr',
      '10 dakika içinde en az 3 ölçüm için ((T 2 °C değerinin altında ve H %85 değerinin üstünde) veya W değeri wet) ise alarm verilir.',
      '(T 2 °C değerinin altında ve H %85 değerinin üstünde) veya W değeri wet; 10 dk içinde 3 ölçüm',
    ],
    [
      'ru-ru',
      'Тревога, когда ((T меньше 2 °C и H больше 85 %) или W = wet), не менее 3 показаний в течение 10 минут.',
      '(T меньше 2 °C и H больше 85 %) или W = wet, 3 показания за 10 мин',
    ],
  ] as const)('in %s', async (code, full, brief) => {
    const language = await withLanguage(code);
    expect(plain(ruleParts(rule(), 'full', language))).toBe(full);
    expect(plain(ruleParts(rule(), 'brief', language))).toBe(brief);
  });

  it.each([
    ['en-us', 'Alarm when the device has been offline for 1 minute.', 'Device offline for 1 min'],
    ['zh-cn', '设备离线达1分钟时告警。', '设备离线1分钟'],
    ['tr-tr', 'Cihaz 1 dakika boyunca çevrim dışı kalırsa alarm verilir.', 'Cihaz 1 dk çevrim dışı'],
    ['ru-ru', 'Тревога, когда связи с устройством нет в течение 1 минуты.', 'Нет связи 1 мин'],
  ] as const)('on being offline, in %s', async (code, full, brief) => {
    const language = await withLanguage(code);
    const offline = rule({ triggerType: 1, conditions: [], durations: 60_000 });
    expect(plain(ruleParts(offline, 'full', language))).toBe(full);
    expect(plain(ruleParts(offline, 'brief', language))).toBe(brief);
  });

  it('declines Russian counts by the preceding words', async () => {
    const language = await withLanguage('ru-ru');
    const sentenceWith = (hitCounts: number, form: 'full' | 'brief') =>
      plain(ruleParts(rule({ hitCounts, conditions: [condition()] }), form, language));
    expect(sentenceWith(1, 'full')).toContain('не менее 1 показания в');
    expect(sentenceWith(5, 'full')).toContain('не менее 5 показаний в');
    expect(sentenceWith(1, 'brief')).toContain(', 1 показание за');
    expect(sentenceWith(5, 'brief')).toContain(', 5 показаний за');
  });

  it('marks names, values and counts as strong', () => {
    const strong = ruleParts(rule(), 'full', 'en-us').filter((part) => part.strong);
    expect(strong.map(({ text }) => text.replaceAll('\u00a0', ' '))).toEqual([
      ...['T', '2 °C', 'H', '85%', 'W', 'wet'],
      ...['3 readings', '10 minutes'],
    ]);
  });

  it('shows an ellipsis for missing fields and for no conditions', () => {
    expect(plain(conditionParts([condition({ name: '', value: undefined })], 'full', 'en-us'))).toBe('… is below …');
    expect(plain(conditionParts([], 'brief', 'en-us'))).toBe('…');
    expect(
      plain(conditionParts([condition({ value: 0 }), condition({ value: false, unit: '' })], 'brief', 'en-us')),
    ).toBe('T below 0 °C and T below Off');
  });

  it('does not interpret markup in a name', () => {
    const odd = condition({ name: '\u0002{{value}}\u0003 $t(rule.new)', value: 1 });
    expect(plain(conditionParts([odd], 'brief', 'en-us'))).toBe('{{value}} $t(rule.new) below 1 °C');
  });
});

describe('the brackets', () => {
  const of = (...joins: ('and' | 'or')[]) =>
    [condition(), ...joins.map((andor) => condition({ andor }))].map((one, i) => ({ ...one, name: 'ABCDE'[i] ?? '' }));
  const sentenceWith = (form: 'full' | 'brief', ...joins: ('and' | 'or')[]) =>
    plain(conditionParts(of(...joins), form, 'en-us')).replaceAll(/ (is )?below 2 °C/g, '');

  it('enclose every pair in the form', () => {
    expect(sentenceWith('full')).toBe('A');
    expect(sentenceWith('full', 'and')).toBe('(A and B)');
    expect(sentenceWith('full', 'and', 'and', 'or')).toBe('(((A and B) and C) or D)');
  });

  it('appear on a card only where the order would be unclear', () => {
    expect(sentenceWith('brief', 'and', 'and')).toBe('A and B and C');
    expect(sentenceWith('brief', 'or', 'and')).toBe('(A or B) and C');
    expect(sentenceWith('brief', 'and', 'or', 'or', 'and')).toBe('((A and B) or C or D) and E');
  });
});

describe('the clearing sentence', () => {
  it.each(languages.map(({ code }) => code))('exists in %s', async (code) => {
    const language = await withLanguage(code);
    const first = plain(clearingParts(rule(), language));
    const stays = plain(clearingParts(rule({ conditions: [condition({ recovery: 4 })] }), language));
    const back = plain(clearingParts(rule({ triggerType: 1 }), language));
    expect(stays).toMatch(/T ?4 °C/);
    expect(new Set([first, stays, back]).size).toBe(3);
  });

  it('names each limit that differs', () => {
    const conditions = [
      condition({ recovery: 4 }),
      condition({ name: 'H', unit: '%' }),
      condition({ name: 'P', recovery: 0 }),
    ];
    expect(plain(clearingParts(rule({ conditions }), 'en-us'))).toBe(
      'Clears at the first reading for which this is no longer true with the limit T 4 °C and P 0 °C.',
    );
  });
});
