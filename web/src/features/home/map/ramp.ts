/** How many colours the ramp has, as tokens. */
export const rampSteps = 5;

/** The numbers at which one colour of the ramp ends and the next begins, the ends included. */
export interface Scale {
  bounds: readonly number[];
}

/** The smallest of 1, 2, 2.5 and 5 times a power of ten that is not less than `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return (([1, 2, 2.5, 5, 10].find((times) => times * power >= least * (1 - 1e-9)) ?? 10) as number) * power;
}

/**
 * A scale over the values with round bounds. It spans at least `leastSpan`, so that noise is not
 * shown in the colours of a difference; null without values.
 */
export function scaleOf(values: readonly number[], leastSpan = 0): Scale | null {
  if (values.length === 0) return null;
  let low = values.reduce((least, value) => Math.min(least, value));
  let high = values.reduce((most, value) => Math.max(most, value));
  const missing = Math.max(leastSpan, Math.abs(high) * 1e-3, 1e-6) - (high - low);
  if (missing > 0) [low, high] = [low - missing / 2, high + missing / 2];
  let step = roundStep((high - low) / rampSteps);
  let from = Math.floor(low / step + 1e-9) * step;
  // Rounded down, the steps may end before the highest value.
  while (from + step * rampSteps < high - step * 1e-9) {
    step = roundStep(step * 1.01);
    from = Math.floor(low / step + 1e-9) * step;
  }
  const count = Math.max(1, Math.ceil((high - from) / step - 1e-9));
  return { bounds: Array.from({ length: count + 1 }, (_, i) => Number((from + i * step).toPrecision(12))) };
}

/** The colour of a value: 0 is the lowest. Scales of fewer steps use the ramp's whole width. */
export function stepOf({ bounds }: Scale, value: number): number {
  const steps = bounds.length - 1;
  const at = bounds.slice(1, -1).filter((bound) => value >= bound).length;
  return steps === 1 ? Math.floor(rampSteps / 2) : Math.round((at * (rampSteps - 1)) / (steps - 1));
}
