import type { components } from '@/api/schema.gen';
import { type Derivation, derivationsOf, propertyName } from '@/lib/device/derivation';
import { type PropertyKind, propertyKind } from '@/lib/device/propertyKind';

export type TslProperty = components['schemas']['TslProperty'];

export interface Attribute {
  id: string;
  name: string;
  /** The catalogue's unit; it is translated where it is shown. */
  unit: string;
  precision: number | undefined;
  /** A chart's axis spans at least this much; undefined: no least span. */
  leastSpan?: number | undefined;
  kind: PropertyKind;
  /** Only for a derived attribute. */
  derivation?: Derivation;
}

/** At most as many lines as there are colours. */
export const maxDrawn = 8;
const initialSelection = 4;

/** The main attribute stands first, then all in the model's order. */
export function mainFirst(attributes: readonly Attribute[], mainSign: string): Attribute[] {
  return [...attributes].sort((a, b) => Number(b.id === mainSign) - Number(a.id === mainSign));
}

export function attributesOf(properties: readonly TslProperty[]): Attribute[] {
  const derivations = derivationsOf(properties);
  return properties.map((property) => ({
    id: property.identifier,
    name: propertyName(property),
    unit: property.elementUnit,
    precision: property.precision,
    leastSpan: property.leastSpan,
    kind: propertyKind(property),
    derivation: derivations.get(property.identifier),
  }));
}

export function isDrawn({ kind }: Attribute): boolean {
  return kind !== 'words';
}

/** The initial selection: the main attribute and a few others, quantities before switches and texts. */
export function firstSelection(attributes: readonly Attribute[], mainSign: string): string[] {
  const rank = ({ id, kind }: Attribute) => (id === mainSign ? -1 : kind === 'words' ? 2 : kind === 'step' ? 1 : 0);
  const chosen = [...attributes].sort((a, b) => rank(a) - rank(b)).slice(0, initialSelection);
  return attributes.filter((attribute) => chosen.includes(attribute)).map(({ id }) => id);
}

/**
 * The colour of each drawn attribute, 0 to 7. An attribute keeps its colour, even while it is not
 * drawn, unless all others are taken.
 */
export function colorsFor(before: ReadonlyMap<string, number>, drawn: readonly string[]): Map<string, number> {
  const after = new Map<string, number>();
  const taken = new Set<number>();
  for (const id of drawn) {
    const color = before.get(id);
    if (color === undefined || taken.has(color)) continue;
    after.set(id, color);
    taken.add(color);
  }
  const reservedColors = new Set([...before].filter(([id]) => !drawn.includes(id)).map(([, color]) => color));
  const all = Array.from({ length: maxDrawn }, (_, color) => color);
  for (const id of drawn) {
    if (after.has(id)) continue;
    const free = all.filter((color) => !taken.has(color));
    const color = free.find((candidate) => !reservedColors.has(candidate)) ?? free[0] ?? 0;
    after.set(id, color);
    taken.add(color);
  }
  for (const [id, color] of before) if (!after.has(id) && !taken.has(color)) after.set(id, color);
  return after;
}

/** The stroke of each colour, so that lines do not differ by colour alone. */
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

/** The attributes that share an axis: those of the same unit. A switch has an axis of its own. */
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
    // Sums per bar and momentary depths need separate scales, though both are in millimetres.
    const key = kind === 'step' ? `step ${id}` : kind === 'sum' ? `sum ${unit}` : `unit ${unit}`;
    const panel = panels.get(key);
    if (panel) panel.attributes.push(attribute);
    else panels.set(key, { key, unit, kind: kind === 'step' ? 'step' : 'numbers', attributes: [attribute] });
  }
  return [...panels.values()];
}
