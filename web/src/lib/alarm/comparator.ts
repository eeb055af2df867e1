import type { Schemas } from './types';

/**
 * The comparators of alarm conditions. Their counterpart in the server is
 * `internal/platform/comparator`; the tests of both read its `testdata/cases.json`.
 */
export type Operator = Schemas['Operator'];

/** A reading's value, or a condition's. */
type Value = number | boolean | string;

interface Comparator {
  /** Stands beside or for its words. */
  symbol: string;
  /**
   * The last part of the keys of its texts, such as `rule.term.full`. `symbol`: texts write its
   * symbol.
   */
  words: 'above' | 'atLeast' | 'below' | 'atMost' | 'equal' | 'notEqual' | 'symbol';
  /**
   * The side of the limit on which the alarm holds. Only a comparator with a side has a distance to
   * its limit and a recovery value.
   */
  side: 'above' | 'below' | null;
  number: (value: number, limit: number) => boolean;
  /** Of booleans and texts; without it, it compares only numbers. */
  other?: (same: boolean) => boolean;
}

/** In the order in which people choose from them. */
export const comparators: Record<Operator, Comparator> = {
  '>': { symbol: '>', words: 'above', side: 'above', number: (value, limit) => value > limit },
  '>=': { symbol: '≥', words: 'atLeast', side: 'above', number: (value, limit) => value >= limit },
  '<': { symbol: '<', words: 'below', side: 'below', number: (value, limit) => value < limit },
  '<=': { symbol: '≤', words: 'atMost', side: 'below', number: (value, limit) => value <= limit },
  '=': {
    symbol: '=',
    words: 'equal',
    side: null,
    number: (value, limit) => value === limit,
    other: (same) => same,
  },
  '!=': {
    symbol: '≠',
    words: 'notEqual',
    side: null,
    number: (value, limit) => value !== limit,
    other: (same) => !same,
  },
};

export const operators = Object.keys(comparators) as readonly Operator[];

export const sideOf = (operator: Operator) => comparators[operator].side;

/**
 * Whether a value meets a condition, as the server decides it: numbers are rounded to the
 * attribute's precision first, and no operator holds for a value of another type or none.
 */
export function comparisonHolds(
  operator: Operator,
  value: Value | null | undefined,
  limit: Value,
  precision: number | undefined,
): boolean {
  const { number, other } = comparators[operator];
  if (typeof value === 'number' && typeof limit === 'number') return number(...inUnits(value, limit, precision));
  return typeof value === typeof limit && (other?.(value === limit) ?? false);
}

/**
 * Whether a recovery value fits the limit: it is the limit or on the side of it without alarm.
 */
export function takesRecovery(operator: Operator, recovery: number, limit: number): boolean {
  const side = sideOf(operator);
  if (side === null) return false;
  return side === 'above' ? recovery <= limit : recovery >= limit;
}

const maxDecimals = 9;
/** Numbers with more units of the last decimal are compared unrounded. */
const exactUnits = 2 ** 48;

function inUnits(value: number, limit: number, precision: number | undefined): [number, number] {
  if (precision === undefined || precision > maxDecimals) return [value, limit];
  const unit = 10 ** precision;
  if (Math.abs(value) * unit >= exactUnits || Math.abs(limit) * unit >= exactUnits) return [value, limit];
  return [rounded(value, precision), rounded(limit, precision)];
}

/**
 * A number in units of the last decimal. Its shortest decimal form is rounded half away from zero:
 * 1.005 to two decimals is 101.
 */
function rounded(value: number, decimals: number): number {
  const [mantissa = '', exponent = ''] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const point = Number(exponent) + 1 + decimals;
  if (point < 0) return 0;
  const units = Number(digits.slice(0, point).padEnd(point, '0')) + (Number(digits[point] ?? 0) >= 5 ? 1 : 0);
  return value < 0 ? -units : units;
}
