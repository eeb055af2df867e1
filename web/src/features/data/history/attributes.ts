import type { components } from '@/api/schema.gen';
import { type Derivation, derivationsOf, propertyName } from '@/lib/device/derivation';

export type TslProperty = components['schemas']['TslProperty'];

/**
 * How an attribute is shown. `line`: a quantity. `sum`: an amount since the reading before, as bars of sums. `direction`: degrees of the
 * compass, as dots, since 359 and 1 are neighbours. `step`: on and off. `words`: texts, as a table.
 */
export type Kind = 'line' | 'sum' | 'direction' | 'step' | 'words';

export interface Attribute {
  id: string;
  name: string;
  /** As the catalogue has it; it is written by the language where it is shown. */
  unit: string;
  precision: number | undefined;
  kind: Kind;
  /** Of one that is computed; absent of a measured one. */
  derivation?: Derivation;
}

/** Never more lines than colours. */
export const maxDrawn = 8;
const initialSelection = 4;

/** What is told in millimetres may be a depth: to be summed it must be called what falls or rises. */
const amountIdentifier = /rain|precip|evapo/i;

function kindOf({ identifier, dataType, elementUnit }: TslProperty): Kind {
  if (dataType === 'boolean') return 'step';
  if (dataType === 'text') return 'words';
  if (elementUnit === 'mm' && amountIdentifier.test(identifier)) return 'sum';
  return elementUnit === '°' ? 'direction' : 'line';
}

export function attributesOf(properties: readonly TslProperty[]): Attribute[] {
  const derivations = derivationsOf(properties);
  return properties.map((property) => ({
    id: property.identifier,
    name: propertyName(property),
    unit: property.elementUnit,
    precision: property.precision,
    kind: kindOf(property),
    derivation: derivations.get(property.identifier),
  }));
}

export function isDrawn({ kind }: Attribute): boolean {
  return kind !== 'words';
}

/** What a device's history shows before anybody has chosen: the first few, quantities before switches and words. */
export function firstSelection(attributes: readonly Attribute[]): string[] {
  const rank = ({ kind }: Attribute) => (kind === 'words' ? 2 : kind === 'step' ? 1 : 0);
  const chosen = [...attributes].sort((a, b) => rank(a) - rank(b)).slice(0, initialSelection);
  return attributes.filter((attribute) => chosen.includes(attribute)).map(({ id }) => id);
}

/** The colour of each drawn attribute, 0 to 7. Who had one keeps it, while it was away too, unless all others are taken. */
export function colorsFor(before: ReadonlyMap<string, number>, drawn: readonly string[]): Map<string, number> {
  const after = new Map<string, number>();
  const taken = new Set<number>();
  for (const id of drawn) {
    const color = before.get(id);
    if (color === undefined || taken.has(color)) continue;
    after.set(id, color);
    taken.add(color);
  }
  const promised = new Set([...before].filter(([id]) => !drawn.includes(id)).map(([, color]) => color));
  const all = Array.from({ length: maxDrawn }, (_, color) => color);
  for (const id of drawn) {
    if (after.has(id)) continue;
    const free = all.filter((color) => !taken.has(color));
    const color = free.find((candidate) => !promised.has(candidate)) ?? free[0] ?? 0;
    after.set(id, color);
    taken.add(color);
  }
  for (const [id, color] of before) if (!after.has(id) && !taken.has(color)) after.set(id, color);
  return after;
}

/** The stroke of each colour: colour is never alone. */
export const dashes: readonly (readonly number[] | undefined)[] = [
  undefined,
  undefined,
  [7, 4],
  undefined,
  undefined,
  [7, 4],
  [2, 4],
  [2, 4],
];

/** The attributes that share an axis: those of one unit, a switch alone. */
export interface Panel {
  key: string;
  unit: string;
  kind: 'numbers' | 'step';
  attributes: Attribute[];
}

export function panelsOf(drawn: readonly Attribute[]): Panel[] {
  const panels = new Map<string, Panel>();
  for (const attribute of drawn) {
    const { id, unit, kind } = attribute;
    // Sums of an hour and a depth of the moment are not on one scale, though both are millimetres.
    const key = kind === 'step' ? `step ${id}` : kind === 'sum' ? `sum ${unit}` : `unit ${unit}`;
    const panel = panels.get(key);
    if (panel) panel.attributes.push(attribute);
    else panels.set(key, { key, unit, kind: kind === 'step' ? 'step' : 'numbers', attributes: [attribute] });
  }
  return [...panels.values()];
}
