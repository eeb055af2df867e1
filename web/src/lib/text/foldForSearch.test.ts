import { expect, it } from 'vitest';
import { foldForSearch } from './foldForSearch';

it.each([
  ['Irrigation', 'irrigation'],
  ['IRRIGATION', 'irrigation'],
  ['İSTANBUL', 'istanbul'],
  ['ısırgan', 'isirgan'],
  ['i\u0307', 'i'],
  ['Ёлка', 'елка'],
  ['ＡＢ １２', 'ab 12'],
])('%s is folded to %s', (text, folded) => {
  expect(foldForSearch(text)).toBe(folded);
});
