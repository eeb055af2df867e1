import type { components } from '@/api/schema.gen';
import { type Threshold, thresholdsOf } from '@/lib/alarm/threshold';

type Rule = Pick<components['schemas']['AlarmRule'], 'alarmName' | 'alarmLevel' | 'conditions'>;

/** The limit of a running rule. */
export interface Limit extends Threshold {
  level: number;
  /** The names of the rules that have it. */
  names: string[];
}

/** The limits of rules, each once; of several rules with the same one the most serious level counts. */
export function limitsOf(rules: readonly Rule[]): Limit[] {
  const found = new Map<string, Limit>();
  for (const { alarmName, alarmLevel, conditions } of rules) {
    for (const threshold of thresholdsOf(conditions)) {
      const key = JSON.stringify(threshold);
      const known = found.get(key);
      if (known) {
        known.level = Math.max(known.level, alarmLevel);
        known.names.push(alarmName);
      } else found.set(key, { ...threshold, level: alarmLevel, names: [alarmName] });
    }
  }
  return [...found.values()];
}

/** The share of the lines' range by which an axis may grow for a limit. */
const growth = 0.6;

/** The limits near enough to the lines to be drawn; others would flatten the lines. */
export function limitsWithin(limits: readonly Limit[], low: number, high: number): Limit[] {
  const room = (high - low) * growth;
  return limits.filter(({ value }) => value >= low - room && value <= high + room);
}
