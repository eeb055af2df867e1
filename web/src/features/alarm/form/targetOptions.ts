import type { Targets } from '@/lib/alarm/targets';
import { type Device, nameOf } from '@/lib/device/types';

/** The value that represents a target in the one list of all kinds. */
type TargetValue = `device:${string}` | `scene:${number}` | `model:${number}`;

export const targetValue = {
  device: (deviceName: string): TargetValue => `device:${deviceName}`,
  scene: (id: number): TargetValue => `scene:${id}`,
  model: (id: number): TargetValue => `model:${id}`,
};

/** Represents all devices that the search found. */
export const allFoundValue = 'found';

export function valuesOfTargets({ devices, groups, products }: Targets): TargetValue[] {
  return [...groups.map(targetValue.scene), ...products.map(targetValue.model), ...devices.map(targetValue.device)];
}

/**
 * The targets that the list's values represent; `allFoundValue` stands for the names in `found`.
 */
export function targetsOfValues(values: readonly string[], found: readonly string[]): Targets {
  const after = (kind: string) =>
    values.flatMap((value) => (value.startsWith(`${kind}:`) ? [value.slice(kind.length + 1)] : []));
  const devices = [...after('device'), ...(values.includes(allFoundValue) ? found : [])];
  return { devices: [...new Set(devices)], groups: after('scene').map(Number), products: after('model').map(Number) };
}

/** The device's title and its device name, which tells devices with equal titles apart. */
export const deviceTitle = (device: Device) =>
  device.noteName === '' ? device.deviceName : `${nameOf(device)} · ${device.deviceName}`;
