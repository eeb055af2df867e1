import type { DeviceHint, FirstReading } from '../queries';

/** A device may send each of its values in a message of its own: they are shown together. */
export function mergeReadings(one: FirstReading | undefined, other: FirstReading | undefined) {
  if (!one || !other) return one ?? other;
  const [older, newer] = one.time <= other.time ? [one, other] : [other, one];
  return { time: newer.time, values: { ...older.values, ...newer.values } };
}

const maxHints = 5;

/** What tells two hints apart for a person: of the same again only the newest is shown. */
export function hintKey({ kind, address = '', identifier = '', reason = '', path = '' }: DeviceHint): string {
  return [kind, address, identifier, reason, path].join(' ');
}

/** The newest hints, each once. */
export function mergeHints(hints: readonly DeviceHint[]): DeviceHint[] {
  const newest = new Map<string, DeviceHint>();
  for (const hint of hints) {
    const known = newest.get(hintKey(hint));
    if (!known || hint.time > known.time) newest.set(hintKey(hint), hint);
  }
  return [...newest.values()].sort((a, b) => b.time - a.time).slice(0, maxHints);
}
