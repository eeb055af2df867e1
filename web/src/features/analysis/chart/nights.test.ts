import { expect, it } from 'vitest';
import { nightsOf } from './nights';

const hour = 3_600_000;
const at = (text: string) => Date.parse(text);

it('last from sunset to sunrise', () => {
  // Ankara, at the end of November: sunset at 14:22, sunrise at 04:45 of UTC.
  const nights = nightsOf(
    { from: at('2026-11-25T09:00:00Z'), to: at('2026-11-27T09:00:00Z') },
    { latitude: 39.93, longitude: 32.86 },
  );
  expect(nights).toHaveLength(2);
  expect(Math.abs((nights[0]?.from ?? 0) - at('2026-11-25T14:22:00Z'))).toBeLessThan(6 * 60_000);
  expect(Math.abs((nights[0]?.to ?? 0) - at('2026-11-26T04:45:00Z'))).toBeLessThan(6 * 60_000);
});

it('are cut by the range', () => {
  const span = { from: at('2026-11-25T20:00:00Z'), to: at('2026-11-25T22:00:00Z') };
  expect(nightsOf(span, { latitude: 39.93, longitude: 32.86 })).toEqual([span]);
});

it('last all day in a polar night and never come in a polar day', () => {
  const place = { latitude: 78.2, longitude: 15.6 };
  const winter = { from: at('2026-12-20T00:00:00Z'), to: at('2026-12-23T00:00:00Z') };
  expect(nightsOf(winter, place)).toEqual([winter]);
  const summer = { from: at('2026-06-20T00:00:00Z'), to: at('2026-06-23T00:00:00Z') };
  expect(nightsOf(summer, place)).toEqual([]);
});

it('are found on the other side of the world', () => {
  const place = { latitude: -43.5, longitude: 172.6 };
  const nights = nightsOf({ from: at('2026-11-25T00:00:00Z'), to: at('2026-11-26T00:00:00Z') }, place);
  const dark = nights.reduce((sum, { from, to }) => sum + to - from, 0);
  expect(dark / hour).toBeGreaterThan(8);
  expect(dark / hour).toBeLessThan(10);
});
