import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { comparisonHolds, type Operator, operators, takesRecovery } from './comparator';

/** The operators that hold; the server's tests read the same file. */
interface Cases {
  comparisons: {
    value: number | boolean | string | null;
    limit: number | boolean | string;
    decimals?: number;
    holds: Operator[];
  }[];
  /** `takes`: those that the recovery value fits; `open`: those of them that keep a notice open. */
  recoveries: {
    value: number;
    limit: number;
    recovery: number;
    decimals?: number;
    open: Operator[];
    takes: Operator[];
  }[];
}

const file = '../internal/platform/comparator/testdata/cases.json';
const { comparisons, recoveries } = JSON.parse(readFileSync(file, 'utf8')) as Cases;

it.each(comparisons)('$value against $limit, $decimals decimals', ({ value, limit, decimals, holds }) => {
  expect(operators.filter((each) => comparisonHolds(each, value, limit, decimals))).toEqual(holds);
});

it.each(recoveries)(
  '$value against $limit, clears at $recovery',
  ({ value, limit, recovery, decimals, open, takes }) => {
    const taken = operators.filter((each) => takesRecovery(each, recovery, limit));
    expect(taken).toEqual(takes);
    expect(taken.filter((each) => comparisonHolds(each, value, recovery, decimals))).toEqual(open);
  },
);

it('each comparator holds in a case', () => {
  expect(operators.filter((each) => !comparisons.some(({ holds }) => holds.includes(each)))).toEqual([]);
});
