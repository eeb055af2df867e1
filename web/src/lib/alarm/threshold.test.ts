import { describe, expect, it } from 'vitest';
import { comparisonHolds, sideOf, thresholdsOf } from './threshold';
import { operators } from './types';

describe('the lines of a rule', () => {
  it('are those of its numeric conditions, without duplicates', () => {
    const below = { tslAttribute: 't', subconditions: '<' as const, value: 2, recovery: 4 };
    const above = { tslAttribute: 'h', subconditions: '>=' as const, value: 85 };
    const equal = { tslAttribute: 'n', subconditions: '=' as const, value: 0 };
    const text = { tslAttribute: 'w', subconditions: '=' as const, value: 'wet' };
    expect(thresholdsOf([below, above, text, below, equal])).toEqual([
      { sign: 't', value: 2, operator: '<', side: 'below', recovery: 4 },
      { sign: 'h', value: 85, operator: '>=', side: 'above', recovery: null },
      { sign: 'n', value: 0, operator: '=', side: null, recovery: null },
    ]);
  });
});

it('each operator compares correctly', () => {
  const met = operators.map((operator) => [1, 2, 3].filter((value) => comparisonHolds(operator, value, 2)));
  expect(met).toEqual([[3], [2, 3], [1], [1, 2], [2], [1, 3]]);
  expect(operators.map(sideOf)).toEqual(['above', 'above', 'below', 'below', null, null]);
});
