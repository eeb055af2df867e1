import type { AlarmRuleCreate, RehearsedDevice } from '@/lib/alarm/types';
import type { TslProperty } from '@/lib/device/types';
import { judgedBody, type RuleValues } from '../form/values';

/** What a form may name beside one device. */
interface Targets {
  devices?: readonly string[];
  groups?: readonly number[];
  products?: readonly number[];
}

function targetsOf(values: RuleValues & { targets?: Targets | null }): Targets | undefined {
  return values.targets ?? undefined;
}

/** Whether a rule may be of more devices than one: then each is told of in a line. */
export function namesMany(values: RuleValues): boolean {
  const { devices = [], groups = [], products = [] } = targetsOf(values) ?? {};
  return devices.length > 1 || groups.length > 0 || products.length > 0;
}

/** What a rehearsal of all devices looks at. */
export function judgedOfAll(values: RuleValues, properties: ReadonlyMap<string, TslProperty>): AlarmRuleCreate {
  const { devices = [], groups = [], products = [] } = targetsOf(values) ?? {};
  return {
    ...judgedBody(values, properties),
    targets: { devices: [...devices], groups: [...groups], products: [...products] },
  };
}

/** What people call a device. */
export const titleOfRow = ({ noteName, deviceName }: RehearsedDevice) => noteName || deviceName;

/** Worst first: the most alarms, then the longest, then by their titles. */
export function worstFirst(compare: (a: string, b: string) => number) {
  return (a: RehearsedDevice, b: RehearsedDevice) =>
    b.total - a.total || b.longest - a.longest || compare(titleOfRow(a), titleOfRow(b));
}

/** Rows as they stood, by their device names, with what is new below. */
export function asTheyStood(
  rows: readonly RehearsedDevice[],
  stood: readonly string[],
  order: (a: RehearsedDevice, b: RehearsedDevice) => number,
): RehearsedDevice[] {
  const places = new Map(stood.map((name, i) => [name, i]));
  const placeOf = ({ deviceName }: RehearsedDevice) => places.get(deviceName) ?? stood.length;
  return [...rows].sort((a, b) => placeOf(a) - placeOf(b) || order(a, b));
}
