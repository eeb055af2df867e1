import type { TslProperty } from './types';

/** How the server computes a property: by which formula, from what, and with which numbers. */
export interface Derivation {
  /** The property's name for people. */
  name: string;
  /** Key of the formula, such as dewPoint. */
  formula: string;
  /** Names for people of what goes in. */
  inputs: string[];
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
      const from = inputs.map((input) => names.get(input) ?? input);
      return [[identifier, { name: propertyName(property), formula, inputs: from, parameters }]];
    }),
  );
}
