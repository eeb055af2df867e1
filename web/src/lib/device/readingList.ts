import { type Derivation, derivationsOf, propertyName } from './derivation';
import type { Latest, Reading, TslProperty } from './types';

/** A property with its latest reading; none when it was never read. */
export interface ReadingEntry {
  sign: string;
  name: string;
  reading: Reading | undefined;
  /** Of a value that is computed; absent of a measured one. */
  derivation?: Derivation;
}

export interface ReadingList {
  main: ReadingEntry | undefined;
  others: ReadingEntry[];
}

/**
 * The properties in the order of the device's model, those never read included, then whatever else was read. Without the model,
 * which comes a moment later, what was read by name. The main one stands apart; a device without one shows its first.
 */
export function readingList(
  latest: Latest,
  properties: readonly TslProperty[] | undefined,
  mainSign: string,
): ReadingList {
  const derivations = derivationsOf(properties ?? []);
  const modelled = (properties ?? []).map((property): ReadingEntry => {
    const sign = property.identifier;
    return { sign, name: propertyName(property), reading: latest[sign], derivation: derivations.get(sign) };
  });
  const known = new Set(modelled.map(({ sign }) => sign));
  const rest = Object.entries(latest)
    .filter(([sign]) => !known.has(sign))
    .map(([sign, reading]): ReadingEntry => ({ sign, name: reading.name || sign, reading }))
    .sort((a, b) => a.name.localeCompare(b.name));
  const all = [...modelled, ...rest];
  const main = all.find(({ sign }) => sign === mainSign) ?? all.find(({ reading }) => reading !== undefined);
  return { main, others: all.filter((entry) => entry !== main) };
}
