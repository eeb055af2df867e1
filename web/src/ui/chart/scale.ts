/** A value axis: its ends, and the distance of its ticks. */
export interface Scale {
  min: number;
  max: number;
  step: number;
}

/** 1, 2 or 5 times a power of ten, at least `rough`. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  // Tolerates a tiny excess from binary rounding.
  const factor = [1, 2, 5, 10].find((candidate) => share <= candidate * (1 + 1e-9)) ?? 10;
  return factor * power;
}

/**
 * Widens a range to at least `leastSpan`, so that noise does not fill an axis: values closer
 * together stand in its middle, and a range of values that are not negative does not begin below 0.
 */
export function widenTo(low: number, high: number, leastSpan: number): [low: number, high: number] {
  if (high - low >= leastSpan) return [low, high];
  const beside = (leastSpan - (high - low)) / 2;
  const from = low - (low >= 0 ? Math.min(beside, low) : beside);
  return [from, from + leastSpan];
}

/**
 * An axis that contains both values and spans at least `leastSpan`, with about so many steps between
 * round numbers.
 */
export function scaleFor(low: number, high: number, steps: number, leastSpan = 0): Scale {
  let [from, to] = widenTo(Math.min(low, high), Math.max(low, high), leastSpan);
  if (from === to) {
    // Centres a flat line.
    const beside = from === 0 ? 1 : Math.abs(from) * 0.05;
    [from, to] = [from - beside, to + beside];
  }
  const step = roundStep((to - from) / Math.max(1, steps));
  const clean = (value: number) => Number(value.toPrecision(12));
  return {
    min: clean(Math.floor(from / step + 1e-9) * step),
    max: clean(Math.ceil(to / step - 1e-9) * step),
    step: clean(step),
  };
}

/** How many decimals the ticks of an axis need. */
export function tickDecimals({ step }: Scale): number {
  return Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
}
