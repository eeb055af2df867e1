import { type Operator, sideOf } from './comparator';

/** A line in a chart that a condition's readings must not cross. */
export interface Threshold {
  /** The attribute's identifier. */
  sign: string;
  value: number;
  /** How a reading is compared with the value. */
  operator: Operator;
  /** The side of the value on which the alarm holds; null for = and !=. */
  side: 'above' | 'below' | null;
  /** The value at which an open alarm ends, if it differs from `value`. */
  recovery: number | null;
}

interface Condition {
  tslAttribute: string;
  subconditions: Operator;
  value: unknown;
  recovery?: number | null;
}

/** The threshold lines of a rule's numeric conditions, in their order, without duplicates. */
export function thresholdsOf(conditions: readonly Condition[]): Threshold[] {
  const lines = new Map<string, Threshold>();
  for (const { tslAttribute: sign, subconditions, value, recovery = null } of conditions) {
    if (typeof value !== 'number') continue;
    const line = { sign, value, operator: subconditions, side: sideOf(subconditions), recovery };
    lines.set(JSON.stringify(line), line);
  }
  return [...lines.values()];
}
