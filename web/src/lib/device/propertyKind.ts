import type { TslProperty } from './types';

/**
 * How a property is shown. `line`: a quantity. `sum`: an amount since the previous reading, as bars
 * of sums. `direction`: compass degrees, as dots, since 359 and 1 are neighbours. `step`: on and
 * off. `words`: texts, as a table.
 */
export type PropertyKind = 'line' | 'sum' | 'direction' | 'step' | 'words';

/**
 * Millimetres may be a depth, so a property is summed only if its name is of rain, precipitation or
 * evaporation.
 */
const amountIdentifier = /rain|precip|evapo/i;

export function propertyKind({
  identifier,
  dataType,
  elementUnit,
}: Pick<TslProperty, 'identifier' | 'dataType' | 'elementUnit'>): PropertyKind {
  if (dataType === 'boolean') return 'step';
  if (dataType === 'text') return 'words';
  if (elementUnit === 'mm' && amountIdentifier.test(identifier)) return 'sum';
  return elementUnit === '°' ? 'direction' : 'line';
}

/** Whether sums of the property are of rain. */
export function isRain({ identifier, elementUnit }: Pick<TslProperty, 'identifier' | 'elementUnit'>): boolean {
  return elementUnit === 'mm' && /rain|precip/i.test(identifier);
}
