import { ownDecimals } from '@/lib/format/number';
import type { Reading } from './types';

/**
 * Stands for the number as it arrived where only the corrected one is known: live events do not
 * bring it.
 */
export const unknownRaw = Number.NaN;

/** A corrected reading as the sensor shows it; undefined if it is not corrected, or that is not known. */
export function shownBySensor({ raw, unit, precision }: Pick<Reading, 'raw' | 'unit' | 'precision'>) {
  if (raw === undefined || Number.isNaN(raw)) return undefined;
  return { value: raw, unit, precision: ownDecimals(raw, precision) };
}
