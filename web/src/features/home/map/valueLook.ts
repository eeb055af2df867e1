import type { MapQuantity } from '@/lib/device/types';
import type { Format } from '@/lib/format/format';
import type { DeviceFeature } from './clusters';
import type { ValueLook } from './glyph';
import { type Scale, stepOf } from './ramp';

/** A number that fits a pill: large ones without decimals. */
export function pillText(value: number, precision: number | undefined, format: Format): string {
  const size = Math.abs(value);
  const most = size >= 1000 ? 0 : size >= 100 ? 1 : 2;
  return format.number(value, Math.min(precision ?? most, most));
}

/** How a device's value is shown; undefined for a device without one. */
export function valueLook(quantity: MapQuantity, scale: Scale, format: Format) {
  return ({ marker: { reading }, room }: DeviceFeature): ValueLook | undefined => {
    if (!reading) return undefined;
    const text = room?.pill ? pillText(reading.value, quantity.precision, format) : undefined;
    return { text, step: stepOf(scale, reading.value) };
  };
}
