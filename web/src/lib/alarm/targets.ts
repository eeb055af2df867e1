import type { AlarmRule } from './types';

/** Whether a rule names more than one device, or scenes or models, whose devices may be others later. */
export function namesMany({ targets }: Pick<AlarmRule, 'targets'>): boolean {
  const { devices = [], groups = [], products = [] } = targets;
  return devices.length > 1 || groups.length + products.length > 0;
}
