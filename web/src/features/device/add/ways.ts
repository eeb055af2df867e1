import type { DeviceOffer } from '../queries';
import type { AddWay } from '../search';

/** The ways of adding devices that the provider allows, in the order in which they are shown. */
export function waysOf({ most, products, claims }: DeviceOffer): AddWay[] {
  const making = most > 0 && products.length > 0;
  return [
    ...(making ? (['new'] as const) : []),
    ...(claims ? (['code'] as const) : []),
    ...(making ? (['table'] as const) : []),
  ];
}
