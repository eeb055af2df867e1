import type { Reading } from './types';

/**
 * Stands for the number as it arrived where only the corrected one is known: live events do not
 * bring it.
 */
export const unknownRaw = Number.NaN;

/** The decimals with which a number as it arrived is shown: those of its property, unless it has more. */
export function rawDecimals(raw: number, precision: number | undefined): number | undefined {
  return precision !== undefined && Number(raw.toFixed(precision)) === raw ? precision : undefined;
}

/** A corrected reading as the sensor shows it; undefined if it is not corrected, or that is not known. */
export function shownBySensor({ raw, unit, precision }: Pick<Reading, 'raw' | 'unit' | 'precision'>) {
  if (raw === undefined || Number.isNaN(raw)) return undefined;
  return { value: raw, unit, precision: rawDecimals(raw, precision) };
}
