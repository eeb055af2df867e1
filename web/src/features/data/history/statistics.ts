import type { Span } from './range';
import { indicesIn, type Line } from './series';

export interface Statistics {
  count: number;
  low: number;
  high: number;
  mean: number;
}

/** The statistics of a span; null if it has no readings. */
export function statistics({ times, values }: Line, span: Span): Statistics | null {
  const [first, last] = indicesIn(times, span);
  const count = last - first;
  if (count === 0) return null;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let sum = 0;
  for (let i = first; i < last; i += 1) {
    const value = values[i] ?? 0;
    if (value < low) low = value;
    if (value > high) high = value;
    sum += value;
  }
  return { count, low, high, mean: sum / count };
}

/** The sum over a span; null if it has no readings. */
export function total({ times, values }: Line, span: Span): number | null {
  const [first, last] = indicesIn(times, span);
  if (first === last) return null;
  let sum = 0;
  for (let i = first; i < last; i += 1) sum += values[i] ?? 0;
  return sum;
}

/**
 * The mean of directions in degrees, 0 up to 360: of 350 and 10 it is 0. Null if they cancel each
 * other out.
 */
export function meanDirection({ times, values }: Line, span: Span): number | null {
  const [first, last] = indicesIn(times, span);
  if (first === last) return null;
  let east = 0;
  let north = 0;
  for (let i = first; i < last; i += 1) {
    const angle = ((values[i] ?? 0) * Math.PI) / 180;
    east += Math.sin(angle);
    north += Math.cos(angle);
  }
  if (Math.hypot(east, north) / (last - first) < 1e-6) return null;
  const degrees = (Math.atan2(east, north) * 180) / Math.PI;
  return (Math.round(degrees * 1e6) / 1e6 + 360) % 360;
}

/**
 * The share of a span's known time in which a step line was on, 0 to 1; null if nothing is known.
 */
export function shareOn({ times, values }: Line, gaps: readonly Span[], span: Span): number | null {
  let on = 0;
  let known = 0;
  for (let i = 0; i + 1 < times.length; i += 1) {
    const from = Math.max(times[i] ?? 0, span.from);
    const to = Math.min(times[i + 1] ?? 0, span.to);
    if (to <= from || gaps.some((gap) => gap.from <= from && gap.to >= to)) continue;
    known += to - from;
    if (values[i] === 1) on += to - from;
  }
  return known === 0 ? null : on / known;
}
