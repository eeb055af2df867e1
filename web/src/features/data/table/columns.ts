import { propertyName } from '@/lib/device/derivation';
import type { Device, TslProperty } from '@/lib/device/types';

/** A column of the table: a property of at least one product. */
export interface QuantityColumn {
  sign: string;
  name: string;
  /** Undefined if products give it different units, which then stand beside the values. */
  unit: string | undefined;
  /** Whether it has a line: texts and switches have none. */
  line: boolean;
}

/** A product, by one of its devices, and its properties. */
export interface ProductColumns {
  mainSign: string;
  properties: readonly TslProperty[];
}

/** One device of each product, those of most devices first. */
export function productsOf(devices: readonly Device[]): Device[] {
  const found = new Map<number, { device: Device; count: number }>();
  for (const device of devices) {
    const known = found.get(device.productId);
    if (known) known.count += 1;
    else found.set(device.productId, { device, count: 1 });
  }
  return [...found.values()]
    .sort((a, b) => b.count - a.count || a.device.productId - b.device.productId)
    .map(({ device }) => device);
}

/** The main properties first, then the others in the order of their products. Texts are left out. */
export function columnsOf(products: readonly ProductColumns[]): QuantityColumn[] {
  const columns = new Map<string, QuantityColumn>();
  const add = (property: TslProperty) => {
    const { identifier: sign, elementUnit: unit, dataType } = property;
    if (dataType === 'text') return;
    const known = columns.get(sign);
    if (!known) columns.set(sign, { sign, name: propertyName(property), unit, line: dataType === 'number' });
    else if (known.unit !== unit) columns.set(sign, { ...known, unit: undefined });
  };
  for (const { mainSign, properties } of products) {
    const main = properties.find(({ identifier }) => identifier === mainSign);
    if (main) add(main);
  }
  for (const { properties } of products) properties.forEach(add);
  return [...columns.values()];
}
