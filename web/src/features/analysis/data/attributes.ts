import { propertyName } from '@/lib/device/derivation';
import { propertyKind } from '@/lib/device/propertyKind';
import type { TslProperty } from '@/lib/device/types';
import type { Kind } from './column';

/** A property that can be drawn, as a device's product describes it. */
export interface Attribute {
  sign: string;
  name: string;
  unit: string;
  precision: number | undefined;
  kind: Kind;
  leastSpan: number;
}

/** The properties that can be drawn; texts cannot. */
export function attributesOf(properties: readonly TslProperty[]): Attribute[] {
  return properties.flatMap((property): Attribute[] => {
    const kind = propertyKind(property);
    if (kind === 'words') return [];
    const { identifier: sign, elementUnit: unit, precision, leastSpan = 0 } = property;
    return [{ sign, name: propertyName(property), unit, precision, kind, leastSpan }];
  });
}

/** The attributes of all devices, each identifier once, in the order of the devices. */
export function allAttributes(models: readonly (readonly TslProperty[])[]): Attribute[] {
  const found = new Map<string, Attribute>();
  for (const attribute of models.flatMap((model) => attributesOf(model))) {
    if (!found.has(attribute.sign)) found.set(attribute.sign, attribute);
  }
  return [...found.values()];
}

/** What is drawn before anybody has chosen: the property that lists show, else the first one. */
export function firstSigns(attributes: readonly Attribute[], mainSign: string | undefined): string[] {
  const first = attributes.find(({ sign }) => sign === mainSign) ?? attributes.find(({ kind }) => kind === 'line');
  return first ? [first.sign] : [];
}

/** What degree days are counted from. */
export interface Warmth {
  /** The identifier of the temperature. */
  sign: string;
  /** The base temperature of the product's own degree days, °C. */
  base: number | undefined;
}

/** The temperature of the air at a device; undefined if it measures none. */
export function warmthOf(properties: readonly TslProperty[]): Warmth | undefined {
  const counted = properties.find(({ formula }) => formula === 'growingDegreeDays');
  const sign = counted?.inputs?.[0];
  if (sign) return { sign, base: counted?.parameters?.base };
  const celsius = properties.filter(({ elementUnit, dataType }) => elementUnit === '°C' && dataType === 'number');
  const air = celsius.find(({ identifier }) => /^air/i.test(identifier));
  return air ? { sign: air.identifier, base: undefined } : undefined;
}

/** Soil moisture at field capacity and at which to irrigate, in the property's unit. */
export interface SoilMarks {
  full: number;
  refill: number;
}

/** The share of the available water that plants use up before they suffer (FAO-56, table 22: 0.5 for most crops). */
const depletion = 0.5;

/** The marks of a moisture whose available water the product computes; undefined for others. */
export function soilMarksOf(properties: readonly TslProperty[], sign: string): SoilMarks | undefined {
  const derived = properties.find(({ formula, inputs }) => formula === 'availableWater' && inputs?.includes(sign));
  const { fieldCapacity: full, wiltingPoint: wilting } = derived?.parameters ?? {};
  if (full === undefined || wilting === undefined) return undefined;
  return { full, refill: full - depletion * (full - wilting) };
}

const soilDepth = /^(soil[a-z]*?)_?(\d{1,3})(cm)?$/i;

/** What a probe measures, and how deep in cm; null for what has no depth. */
export function depthOf(sign: string): { quantity: string; depth: number } | null {
  const found = soilDepth.exec(sign);
  return found ? { quantity: found[1] ?? '', depth: Number(found[2]) } : null;
}
