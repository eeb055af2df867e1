import type { AlarmRule } from './types';

/**
 * The targets of a rule: devices by name, and scenes and models, which stand for all their devices,
 * present and future.
 */
export interface Targets {
  readonly devices: readonly string[];
  /** Ids of scenes; 0: the default group. */
  readonly groups: readonly number[];
  /** Ids of models. */
  readonly products: readonly number[];
}

export const noTargets: Targets = { devices: [], groups: [], products: [] };

/** The most targets that a rule can have. */
export const maxTargets = 400;

export function targetsOf({ targets }: Pick<AlarmRule, 'targets'>): Targets {
  return { ...noTargets, ...targets };
}

/** The number of targets; a scene of a hundred devices counts as one. */
export function targetCount({ devices, groups, products }: Targets): number {
  return devices.length + groups.length + products.length;
}

/** Whether the rule may cover several devices: it names more than one, or a scene or a model. */
export function mayCoverMany(targets: Targets): boolean {
  return targets.devices.length > 1 || isDynamic(targets);
}

/** Whether the set of devices can change although nobody edits the rule. */
export function isDynamic({ groups, products }: Targets): boolean {
  return groups.length + products.length > 0;
}
