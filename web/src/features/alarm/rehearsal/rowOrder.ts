import type { RehearsedDevice } from '@/lib/alarm/types';

/** The device's title. */
export const rowTitle = ({ noteName, deviceName }: RehearsedDevice) => noteName || deviceName;

/** The worst device first: by the number of alarms, then by the longest alarm, then by title. */
export function worstFirst(compare: (a: string, b: string) => number) {
  return (a: RehearsedDevice, b: RehearsedDevice) =>
    b.total - a.total || b.longest - a.longest || compare(rowTitle(a), rowTitle(b));
}

/** Rows in their previous order, by device name, with new rows below. */
export function keepRowOrder(
  rows: readonly RehearsedDevice[],
  stood: readonly string[],
  order: (a: RehearsedDevice, b: RehearsedDevice) => number,
): RehearsedDevice[] {
  const places = new Map(stood.map((name, i) => [name, i]));
  const placeOf = ({ deviceName }: RehearsedDevice) => places.get(deviceName) ?? stood.length;
  return [...rows].sort((a, b) => placeOf(a) - placeOf(b) || order(a, b));
}
