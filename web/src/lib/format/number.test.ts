import { expect, it } from 'vitest';
import { formatMoney } from './number';

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
