import i18next from 'i18next';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatFor } from '@/lib/format/format';
import { setTenantZone } from '@/lib/format/zone';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { adviceSentence, causeSentence, type SilenceCause } from './silence';

const now = Date.UTC(2026, 10, 23, 12);
const hours = (before: number) => now - before * 3_600_000;

/** The sentence of a cause and what to do, in plain spaces. */
async function sentencesOf(cause: Partial<SilenceCause> & Pick<SilenceCause, 'kind'>, language: Language = 'en-us') {
  await useLanguage.getState().setLanguage(language);
  const t = i18next.getFixedT(language);
  const said = causeSentence({ since: hours(8), ...cause }, now, formatFor(language), t);
  return [said, adviceSentence({ since: hours(8), ...cause }, t)].map((text) =>
    text.replaceAll(/[\u00a0\u202f]/g, ' '),
  );
}

const battery = { kind: 'batteryLow', value: 3.38, unit: 'V', precision: 2, time: hours(8), limit: 3.5 } as const;
const refused = { kind: 'secretRefused', attempts: 3, lastAttempt: hours(1) } as const;

beforeAll(() => setTenantZone('Europe/Istanbul'));
afterAll(() => setTenantZone(undefined));

describe('why a device is silent', () => {
  it.each<[string, Parameters<typeof sentencesOf>[0], string, string]>([
    [
      'its battery is low night after night',
      { ...battery, nights: 5, nightsLow: 4 },
      'Its battery was at 3.38 V (07:00), below the limit of 3.5 V, in 4 of the last 5 nights.',
      'Charge or replace the battery, and see whether the panel is clean and connected.',
    ],
    [
      'its battery is low, and only one night is known',
      { ...battery, nights: 1, nightsLow: 1 },
      'Its battery was at 3.38 V (07:00), below the limit of 3.5 V.',
      'Charge or replace the battery, and see whether the panel is clean and connected.',
    ],
    [
      'it has a former secret',
      { ...refused, secretChanged: hours(5) },
      'It still uses a secret that has not been valid since 10:00: 3 sign-ins were refused (last: 14:00).',
      'Enter the current secret in the device, or make a new one for it.',
    ],
    [
      'it never had the right secret',
      { ...refused, attempts: 1 },
      '1 sign-in under its name was refused because of a wrong secret (last: 14:00).',
      'Enter the current secret in the device, or make a new one for it.',
    ],
    [
      'its gateway is silent, which people call by a name',
      { kind: 'gatewaySilent', gateway: 'GW-1', gatewayNoteName: 'Barn gateway', gatewaySince: hours(8) },
      'It reports through Barn gateway, which has been silent too since 07:00.',
      'Check the gateway’s power and network first.',
    ],
    [
      'its gateway is silent, which has no other name',
      { kind: 'gatewaySilent', gateway: 'GW-1', gatewayNoteName: '', gatewaySince: hours(8) },
      'It reports through GW-1, which has been silent too since 07:00.',
      'Check the gateway’s power and network first.',
    ],
    [
      'its clock is ahead',
      { kind: 'clockAhead', ahead: 3 * 3_600_000, refusedAt: hours(8) },
      'Its clock was 3 h ahead, so its last readings were refused (07:00).',
      'Set the device’s clock; a device that sends no times needs none.',
    ],
    [
      'its clock is ahead, nobody knows by how much',
      { kind: 'clockAhead', refusedAt: hours(8) },
      'Its last readings were refused because their time was in the future (07:00).',
      'Set the device’s clock; a device that sends no times needs none.',
    ],
    [
      'it never connected',
      { kind: 'neverConnected' },
      'It has not reported once since it was added (07:00).',
      'Check its power and reception, then the address and the secret that it uses.',
    ],
    [
      'it is shut out',
      { kind: 'disabled' },
      'The provider has shut it out, so the server takes nothing from it.',
      'Ask the provider to enable it.',
    ],
    [
      'nothing is known',
      { kind: 'unknown', interval: 599_000 },
      'The cause is not known: last contact 07:00, until then a reading about every 10 min.',
      'Check its power first, then reception and antenna.',
    ],
    [
      'nothing is known, and it reported once',
      { kind: 'unknown' },
      'The cause is not known: last contact 07:00.',
      'Check its power first, then reception and antenna.',
    ],
  ])('%s', async (_, cause, sentence, advice) => {
    expect(await sentencesOf(cause)).toEqual([sentence, advice]);
  });

  it.each([
    ['zh-cn', '电池为3.38 V（07:00），低于下限3.5 V；最近5晚中有4晚如此。'],
    ['tr-tr', 'Aküsü 3,38 V idi (07:00); son 5 gecenin 4 tanesinde sınır olan 3,5 V değerinin altına düştü.'],
    ['ru-ru', 'Батарея была на уровне 3,38 В (07:00) — ниже порога 3,5 В, и так 4 из последних 5 ночей.'],
  ] as const)('is said in %s', async (language, sentence) => {
    const [said] = await sentencesOf({ ...battery, nights: 5, nightsLow: 4 }, language);
    expect(said).toBe(sentence);
  });

  it.each([
    [1, 'отклонён 1 вход '],
    [3, 'отклонено 3 входа '],
    [12, 'отклонено 12 входов '],
  ])('counts %d refused sign-ins in Russian', async (attempts, words) => {
    const [said] = await sentencesOf({ ...refused, attempts, secretChanged: hours(5) }, 'ru-ru');
    expect(said).toContain(words);
  });
});
