import type { TslProperty } from './types';

/** How the server computes a property: by which formula, from what, and with which numbers. */
export interface Derivation {
  /** The property's identifier. */
  sign: string;
  /** Its name for people. */
  name: string;
  /** Key of the formula, such as dewPoint. */
  formula: string;
  /** What goes in: identifiers and names for people. */
  inputs: { sign: string; name: string }[];
  parameters: Record<string, number>;
}

export function propertyName({ identifier, yeuName, functionName }: TslProperty): string {
  return yeuName || functionName || identifier;
}

/** How each derived property of a model is computed, by identifier. A measured one is absent. */
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
/** Formulas of a whole day, or of a season by days: their value comes once a day. */
const dailyFormulas: ReadonlySet<string> = new Set([
  'dailyLightIntegral',
  'referenceEvapotranspiration',
  'leafWetnessHours',
  'growingDegreeDays',
  'chillHours',
  'chillUnits',
  'chillPortions',
]);

/** How often the value of a property comes, ms, where its formula says so; undefined where the device decides. */
export function formulaInterval(derivation: Derivation | undefined): number | undefined {
  return derivation && dailyFormulas.has(derivation.formula) ? dayMs : undefined;
}
