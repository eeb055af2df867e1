import type { TslProperty } from '@/lib/device/types';

/** Whether a property can be calibrated: a number that the device measures. */
export function isCalibratable({ dataType, formula }: Pick<TslProperty, 'dataType' | 'formula'>): boolean {
  return dataType === 'number' && !formula;
}
