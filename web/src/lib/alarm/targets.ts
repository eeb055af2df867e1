import type { AlarmRule } from './types';

/** What a rule names: devices by their names, and scenes and models whose devices, now and later, are the rule's. */
export interface Targets {
  readonly devices: readonly string[];
  /** Ids of scenes; 0: the default group. */
  readonly groups: readonly number[];
  /** Ids of models. */
  readonly products: readonly number[];
}

export const noTargets: Targets = { devices: [], groups: [], products: [] };

/** The most that a rule can name. */
export const maxTargets = 400;

export function targetsOf({ targets }: Pick<AlarmRule, 'targets'>): Targets {
  return { ...noTargets, ...targets };
}

/** How many things are named; a scene of a hundred devices is one. */
export function targetCount({ devices, groups, products }: Targets): number {
  return devices.length + groups.length + products.length;
}

/** Whether more than one device is named, or scenes or models, whose devices may be others later. */
export function mayCoverMany(targets: Targets): boolean {
  return targets.devices.length > 1 || isDynamic(targets);
}

/** Whether the devices can be others later although nobody changes the rule. */
export function isDynamic({ groups, products }: Targets): boolean {
  return groups.length + products.length > 0;
}
