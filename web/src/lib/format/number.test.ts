import { expect, it } from 'vitest';
import { formatMoney, ownDecimals } from './number';

const nbsp = '\u00a0';

it.each([
  ['en-us', '−€1,234.50', '€59'],
  ['zh-cn', '−€1,234.50', '€59'],
  ['tr-tr', '−€1.234,50', '€59'],
  ['ru-ru', `−1${nbsp}234,50${nbsp}€`, `59${nbsp}€`],
] as const)('writes euros in %s', (language, debt, round) => {
  expect(formatMoney(-1234.5, language)).toBe(debt);
  expect(formatMoney(59, language, true)).toBe(round);
});

it('keeps the decimals of a number that has more than usual', () => {
  expect(ownDecimals(21.4, 1)).toBe(1);
  expect(ownDecimals(21, 1)).toBe(1);
  expect(ownDecimals(21.43, 1)).toBeUndefined();
  expect(ownDecimals(21.43, undefined)).toBeUndefined();
});
