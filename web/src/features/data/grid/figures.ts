import type { Group } from '@/lib/device/types';

export type Figures = Group['figures'][number];

/**
 * The low, mean and high of a group's main properties over its devices that are online. They follow
 * the live readings if the answer has all devices of the group; of larger groups they are the
 * server's, as of its answer.
 */
export function figuresOf({ deviceList, deviceCount, figures }: Group): Figures[] {
  if (deviceList.length < deviceCount) return figures;
  const found = new Map<string, Figures>();
  for (const { mainSign: sign, lastData, onlineState } of deviceList) {
    const reading = lastData[0]?.[sign];
    if (onlineState !== 1 || typeof reading?.value !== 'number') continue;
    const { value, unit, name, precision } = reading;
    const key = `${sign} ${unit}`;
    const sum = found.get(key) ?? { sign, name, unit, precision, devices: 0, low: value, mean: 0, high: value };
    const devices = sum.devices + 1;
    found.set(key, {
      ...sum,
      devices,
      low: Math.min(sum.low, value),
      mean: sum.mean + (value - sum.mean) / devices,
      high: Math.max(sum.high, value),
    });
  }
  return [...found.values()].sort((a, b) => b.devices - a.devices || (a.sign < b.sign ? -1 : 1));
}
