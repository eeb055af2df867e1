import type { TslProperty } from './types';

/** How the server computes a property: the formula, its inputs and its parameters. */
export interface Derivation {
  /** The property's identifier. */
  sign: string;
  /** Its display name. */
  name: string;
  /** Key of the formula, such as dewPoint. */
  formula: string;
  /** The inputs: identifiers and display names. */
  inputs: { sign: string; name: string }[];
  parameters: Record<string, number>;
}

export function propertyName({ identifier, yeuName, functionName }: TslProperty): string {
  return yeuName || functionName || identifier;
}

/**
 * How each derived property of a model is computed, by identifier. Measured properties are absent.
 */
export function derivationsOf(properties: readonly TslProperty[]): Map<string, Derivation> {
  const names = new Map(properties.map((property) => [property.identifier, propertyName(property)]));
  return new Map(
    properties.flatMap((property): [string, Derivation][] => {
      const { identifier, formula, inputs = [], parameters = {} } = property;
      if (!formula) return [];
      const from = inputs.map((sign) => ({ sign, name: names.get(sign) ?? sign }));
      return [[identifier, { sign: identifier, name: propertyName(property), formula, inputs: from, parameters }]];
    }),
  );
}

const dayMs = 24 * 3_600_000;
/** Formulas over a whole day, or over a season by days: their value is computed once a day. */
const dailyFormulas: ReadonlySet<string> = new Set([
  'dailyLightIntegral',
  'referenceEvapotranspiration',
  'leafWetnessHours',
  'growingDegreeDays',
  'chillHours',
  'chillUnits',
  'chillPortions',
]);

/**
 * The interval between values of a property, in ms, where its formula determines it; undefined
 * where the device does.
 */
export function formulaInterval(derivation: Derivation | undefined): number | undefined {
  return derivation && dailyFormulas.has(derivation.formula) ? dayMs : undefined;
}
