/** What a calibration says: a number becomes `true1` + (number − `raw1`) × `gain`. */
export interface CalibrationLine {
  raw1: number;
  true1: number;
  gain: number;
}

/** A property's rounding and range. */
export interface NumberLimits {
  precision?: number | undefined;
  min?: number | undefined;
  max?: number | undefined;
}

/** The server refuses a line that is flatter or steeper. */
export const leastGain = 0.1;
export const mostGain = 10;

/** Numbers with more decimals, and larger ones, are not rounded. */
const maxDecimals = 6;
const maxExact = 2 ** 53;

export const offsetLine = (offset: number): CalibrationLine => ({ raw1: 0, true1: offset, gain: 1 });

/** The line through two points; undefined if the sensor showed the same at both. */
export function lineThrough(raw1: number, true1: number, raw2: number, true2: number): CalibrationLine | undefined {
  return raw1 === raw2 ? undefined : { raw1, true1, gain: (true2 - true1) / (raw2 - raw1) };
}

/** The corrected number, rounded and kept in its range as the server does it. */
export function correct({ raw1, true1, gain }: CalibrationLine, raw: number, limits: NumberLimits): number {
  const { precision, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = limits;
  const corrected = true1 + (raw - raw1) * gain;
  return Math.min(max, Math.max(min, precision === undefined ? corrected : rounded(corrected, precision)));
}

function rounded(value: number, decimals: number): number {
  const scaled = Math.abs(value * 10 ** decimals);
  if (decimals > maxDecimals || scaled >= maxExact) return value;
  // A millionth of the last digit keeps halves from falling by an error of the arithmetic.
  return (Math.sign(value) * Math.round(scaled + 1e-6)) / 10 ** decimals;
}
