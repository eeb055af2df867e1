import { describe, expect, it } from 'vitest';
import { thresholdsOf } from './threshold';

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
