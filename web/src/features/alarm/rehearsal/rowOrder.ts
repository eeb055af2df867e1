import type { RehearsedDevice } from '@/lib/alarm/types';

/** What people call a device. */
export const rowTitle = ({ noteName, deviceName }: RehearsedDevice) => noteName || deviceName;

/** Worst first: the most alarms, then the longest, then by their titles. */
export function worstFirst(compare: (a: string, b: string) => number) {
  return (a: RehearsedDevice, b: RehearsedDevice) =>
    b.total - a.total || b.longest - a.longest || compare(rowTitle(a), rowTitle(b));
}

/** Rows as they stood, by their device names, with what is new below. */
export function keepRowOrder(
  rows: readonly RehearsedDevice[],
  stood: readonly string[],
  order: (a: RehearsedDevice, b: RehearsedDevice) => number,
): RehearsedDevice[] {
  const places = new Map(stood.map((name, i) => [name, i]));
  const placeOf = ({ deviceName }: RehearsedDevice) => places.get(deviceName) ?? stood.length;
  return [...rows].sort((a, b) => placeOf(a) - placeOf(b) || order(a, b));
}
