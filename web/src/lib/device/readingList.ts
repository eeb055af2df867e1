import { type Derivation, derivationsOf, propertyName } from './derivation';
import type { Latest, Reading, TslProperty } from './types';

/** A property with its latest reading; undefined when it was never read. */
export interface ReadingEntry {
  sign: string;
  name: string;
  reading: Reading | undefined;
  /** Set for a computed value; absent for a measured one. */
  derivation?: Derivation;
}

export interface ReadingList {
  main: ReadingEntry | undefined;
  others: ReadingEntry[];
}

/**
 * The properties in the order of the device's model, including those never read, then any others
 * that were read. Without the model, which arrives a moment later, the properties that were read,
 * by name. The main property is separate; a device without one uses its first.
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
