import type { components } from '@/api/schema.gen';
import { type Threshold, thresholdsOf } from '@/lib/alarm/threshold';
import type { Device } from '@/lib/device/types';

export type Rule = Pick<components['schemas']['AlarmRule'], 'alarmName' | 'alarmLevel' | 'conditions' | 'targets'>;

type Target = Pick<Device, 'deviceName' | 'groupId' | 'productId'>;

/** The devices among these that a rule is for. */
const devicesOf = ({ targets }: Rule, devices: readonly Target[]): string[] =>
  devices
    .filter(
      ({ deviceName, groupId, productId }) =>
        targets.devices?.includes(deviceName) ||
        targets.groups?.includes(groupId) ||
        targets.products?.includes(productId),
    )
    .map(({ deviceName }) => deviceName);

/** The limit of a rule that runs, or that the alarm of the address had. */
export interface Limit extends Threshold {
  level: number;
  /** The names of the rules that have it. */
  names: string[];
  /** The shown devices for which it holds. */
  deviceNames: string[];
}

/** The limits of rules, each once; of several rules with the same one the most serious level counts. */
export function limitsOf(rules: readonly Rule[], devices: readonly Target[]): Limit[] {
  const found = new Map<string, Limit>();
  for (const rule of rules) {
    const { alarmName, alarmLevel, conditions } = rule;
    const deviceNames = devicesOf(rule, devices);
    for (const threshold of thresholdsOf(conditions)) {
      const key = JSON.stringify([threshold, deviceNames]);
      const known = found.get(key);
      if (known) {
        known.level = Math.max(known.level, alarmLevel);
        if (!known.names.includes(alarmName)) known.names.push(alarmName);
      } else found.set(key, { ...threshold, level: alarmLevel, names: [alarmName], deviceNames });
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
