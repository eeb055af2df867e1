import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { components } from '@/api/schema.gen';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { renderWithProviders } from '@/test/renderWithProviders';
import { ok, onGet, refused } from '@/test/server';
import { DerivationNote } from './DerivationNote';

type Account = components['schemas']['DerivedAccount'];

// The tests' clock starts at noon of 2 December, UTC.
const noon = Date.UTC(2026, 11, 2, 12);
const dayEnd = Date.UTC(2026, 11, 1, 24) - 1;
const minute = 60_000;

const derivation = {
  sign: 'dewPoint',
  name: 'Dew point',
  formula: 'dewPoint',
  inputs: [
    { sign: 'airTemperature', name: 'Air temperature' },
    { sign: 'airHumidity', name: 'Air humidity' },
  ],
  parameters: {},
};

const instant: Account = {
  identifier: 'dewPoint',
  kind: 'instant',
  time: noon,
  value: 3.5,
  estimated: false,
  reason: null,
  input: null,
  came: 0,
  of: 0,
  filled: 0,
  since: null,
  age: 10 * minute,
  inputs: [{ identifier: 'airTemperature', time: noon - 35 * minute, value: 21 }],
};
const day: Account = { ...instant, kind: 'day', time: dayEnd, came: 22, of: 24, inputs: [] };
const season: Account = { ...day, kind: 'season', came: 247, of: 247, since: Date.UTC(2026, 2, 15) };
const noValue = (reason: Account['reason'], change: Partial<Account> = {}): Partial<Account> => ({
  value: null,
  reason,
  ...change,
});

async function renderDetails(account: Account, language: Language = 'en-us') {
  const asked: string[] = [];
  onGet('/admin-api/client/pc/device/get/derived', ({ request }) => {
    asked.push(new URL(request.url).search);
    return ok(account);
  });
  await useLanguage.getState().setLanguage(language);
  renderWithProviders(<DerivationNote derivation={derivation} deviceName="WS-1" />);
  expect(asked).toEqual([]);
  await userEvent.setup().hover(screen.getByRole('button'));
  const note = await screen.findByRole('tooltip');
  await waitFor(() => expect(asked).toEqual(['?deviceName=WS-1&yeuSign=dewPoint']));
  return note;
}

describe('the details of a derived value', () => {
  it.each<[string, Account, string]>([
    ['an estimate by its formula', { ...instant, estimated: true }, 'This formula gives an estimate'],
    [
      'hours filled in',
      { ...day, filled: 2, estimated: true },
      'Estimated: 2 hours were filled in from those around them',
    ],
    ['a whole season', season, 'All 247 days since Mar 15 came'],
    ['a season with gaps', { ...season, came: 245, estimated: true }, 'Estimated: 245 of 247 days since Mar 15 came'],
    [
      'an input that never came',
      { ...instant, ...noValue('missing', { input: 'airHumidity' }) },
      'No value now: no reading of Air humidity has come',
    ],
    [
      'an input that did not come that day',
      { ...day, ...noValue('missing', { input: 'airHumidity' }) },
      'No value for Dec 1: no reading of Air humidity came',
    ],
    [
      'an old input',
      { ...instant, ...noValue('old', { input: 'airTemperature' }) },
      'No value now: Air temperature was measured 35 min before the newest reading. At most 10 min are allowed',
    ],
    ['no position', { ...day, ...noValue('position') }, 'Set it on the device page'],
    ['no elevation', { ...day, ...noValue('elevation') }, 'Your provider can enter it'],
    ['too few hours', { ...day, ...noValue('hours', { came: 18 }) }, 'No value for Dec 1: 18 of 24 hours have'],
    ['too few days', { ...season, ...noValue('days', { came: 200 }) }, 'No value: 200 of 247 days since Mar 15 have'],
    ['a broken sensor', { ...instant, ...noValue('range') }, 'beyond what the formula is good for'],
    ['beyond its limits', { ...instant, ...noValue('bounds') }, 'beyond the limits of this attribute'],
  ])('%s', async (_, account, words) => {
    const note = await renderDetails(account);
    await waitFor(() => expect(note).toHaveTextContent(words));
  });

  it.each<[Language, string]>([
    ['zh-cn', '估算值：有2小时由前后小时补齐'],
    ['tr-tr', 'Tahmini: 2 saat, çevresindeki saatlerden tamamlandı'],
    ['ru-ru', 'Оценка: 2 часа восполнены по соседним'],
  ])('in %s', async (language, words) => {
    const note = await renderDetails({ ...day, filled: 2, estimated: true }, language);
    await waitFor(() => expect(note).toHaveTextContent(words));
  });

  it('are only the formula if there are no details, or the server does not answer', async () => {
    expect(await renderDetails(instant)).toHaveTextContent(
      /^Dew point, Magnus formulaComputed from Air temperature and Air humidity$/,
    );
    cleanup();
    onGet('/admin-api/client/pc/device/get/derived', () => refused(500));
    renderWithProviders(<DerivationNote derivation={derivation} deviceName="WS-1" />);
    await userEvent.setup().hover(screen.getByRole('button'));
    expect(await screen.findByRole('tooltip')).toHaveTextContent('Magnus');
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
