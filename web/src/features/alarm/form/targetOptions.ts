import type { Targets } from '@/lib/alarm/targets';
import { type Device, nameOf } from '@/lib/device/types';

/** What stands for a target among the values of one list. */
type TargetValue = `device:${string}` | `scene:${number}` | `model:${number}`;

export const targetValue = {
  device: (deviceName: string): TargetValue => `device:${deviceName}`,
  scene: (id: number): TargetValue => `scene:${id}`,
  model: (id: number): TargetValue => `model:${id}`,
};

/** All devices that were found, at once. */
export const allFoundValue = 'found';

export function valuesOfTargets({ devices, groups, products }: Targets): TargetValue[] {
  return [...groups.map(targetValue.scene), ...products.map(targetValue.model), ...devices.map(targetValue.device)];
}

/** The targets that a list's values stand for; `found` are the names of what `everyFound` adds. */
export function targetsOfValues(values: readonly string[], found: readonly string[]): Targets {
  const after = (kind: string) =>
    values.flatMap((value) => (value.startsWith(`${kind}:`) ? [value.slice(kind.length + 1)] : []));
  const devices = [...after('device'), ...(values.includes(allFoundValue) ? found : [])];
  return { devices: [...new Set(devices)], groups: after('scene').map(Number), products: after('model').map(Number) };
}

/** What people call a device, and its name, by which they tell two of them apart. */
export const deviceTitle = (device: Device) =>
  device.noteName === '' ? device.deviceName : `${nameOf(device)} · ${device.deviceName}`;
