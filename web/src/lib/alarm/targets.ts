import type { AlarmRule } from './types';

export type Targets = AlarmRule['targets'];

/** Whether a rule names more than one device, or scenes or models, whose devices may be others later. */
export function namesMany({ targets }: { targets: Targets | null }): boolean {
  const { devices = [], groups = [], products = [] } = targets ?? {};
  return devices.length > 1 || groups.length + products.length > 0;
}
