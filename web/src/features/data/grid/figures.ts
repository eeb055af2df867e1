import type { Group } from '@/lib/device/types';

export type Figures = Group['figures'][number];

/**
 * The low, mean and high of the main property over a group's devices of one model that are online. They follow
 * the live readings if the answer has all devices of the group; of larger groups they are the
 * server's, as of its answer.
 */
export function figuresOf({ deviceList, deviceCount, figures }: Group): Figures[] {
  if (deviceList.length < deviceCount) return figures;
  const found = new Map<number, Figures>();
  for (const { mainSign: sign, mainHousekeeping, productId, productName, lastData, onlineState } of deviceList) {
    const reading = lastData[0]?.[sign];
    if (onlineState !== 1 || mainHousekeeping || typeof reading?.value !== 'number') continue;
    const { value, unit, name, precision } = reading;
    const model = { productId, productName, sign, name, unit, precision };
    const sum = found.get(productId) ?? { ...model, devices: 0, low: value, mean: 0, high: value };
    const devices = sum.devices + 1;
    found.set(productId, {
      ...sum,
      devices,
      low: Math.min(sum.low, value),
      mean: sum.mean + (value - sum.mean) / devices,
      high: Math.max(sum.high, value),
    });
  }
  return [...found.values()].sort(
    (a, b) => b.devices - a.devices || (a.sign === b.sign ? a.productId - b.productId : a.sign < b.sign ? -1 : 1),
  );
}

/** What a figure is called: its quantity, with the model where several of the group have the same. */
export function figureName({ name, productName }: Figures, all: readonly Figures[]): string {
  return all.filter((other) => other.name === name).length > 1 ? `${name} · ${productName}` : name;
}
