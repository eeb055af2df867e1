import type { Series } from '@/lib/device/types';

/** The readings before the beginning and after the end that the chart shows at least. */
export const leastReadings = 10;

const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/**
 * How far readings are looked for on each side of the alarm. Each step is taken only if the ones
 * before found too few, so a device that reports often is never asked for a long range.
 */
const reaches = [2 * hourMs, dayMs, 5 * dayMs, 30 * dayMs];

/** One side of the alarm. */
export interface Side {
  /** The beginning or the end of the alarm. */
  of: number;
  /** Towards earlier or later times. */
  direction: -1 | 1;
  /** Up to where the readings are known already. */
  known: number;
  /** The furthest time that may be asked for. */
  limit: number;
}

/** Reads some attributes between two times, both inclusive. */
export type Read = (signs: readonly string[], from: number, to: number, kind: 'thinned' | 'all') => Promise<Series>;

/** The times of one attribute's readings on one side of the alarm, the nearest first. */
function timesBeside(points: Series[string] = [], of: number, direction: -1 | 1): number[] {
  return points
    .map(({ time }) => time)
    .filter((time) => direction * (time - of) > 0)
    .sort((a, b) => direction * (a - b));
}

export const countBeside = (points: Series[string] | undefined, of: number, direction: -1 | 1): number =>
  timesBeside(points, of, direction).length;

/**
 * The time of the tenth reading beside the alarm, of the attribute that is read least often. An
 * attribute with fewer readings counts only if no other has as many: its last one is taken then.
 * Undefined if there are no readings.
 */
export function tenthBeside(series: Series, of: number, direction: -1 | 1): number | undefined {
  const lists = Object.values(series).map((points) => timesBeside(points, of, direction).slice(0, leastReadings));
  const full = lists.filter(({ length }) => length === leastReadings);
  const ends = (full.length > 0 ? full : lists).flatMap((times) => times.at(-1) ?? []);
  if (ends.length === 0) return undefined;
  return direction < 0 ? Math.min(...ends) : Math.max(...ends);
}

/**
 * The readings beyond the known ones on one side, as far as ten of each attribute need. Of switches
 * and texts a thinned answer has only the changes, so all of their readings are asked for, but only
 * of a day: a switch that changes once a month must not stretch the chart.
 */
export async function readBeside(
  { of, direction, known, limit }: Side,
  series: Series,
  signs: readonly string[],
  numeric: readonly string[],
  read: Read,
): Promise<Series> {
  let found: Series = {};
  let reached = known;
  for (const reach of reaches) {
    const lacking = signs.filter((sign) => {
      if (reach > dayMs && !numeric.includes(sign)) return false;
      const points = [...(series[sign] ?? []), ...(found[sign] ?? [])];
      return countBeside(points, of, direction) < leastReadings;
    });
    const next = direction < 0 ? Math.max(limit, of - reach) : Math.min(limit, of + reach);
    if (lacking.length === 0) break;
    if (direction * (next - reached) <= 0) continue;
    const [from, to] = direction < 0 ? [next, reached - 1] : [reached + 1, next];
    const whole = reach > dayMs ? [] : lacking.filter((sign) => !numeric.includes(sign));
    const others = signs.filter((sign) => !whole.includes(sign));
    const pieces = await Promise.all([
      whole.length > 0 ? read(whole, from, to, 'all') : {},
      others.length > 0 ? read(others, from, to, 'thinned') : {},
    ]);
    found = joinSeries([found, ...pieces]);
    reached = next;
  }
  return found;
}

/** The readings of all parts, in order of time. */
export function joinSeries(parts: readonly Series[]): Series {
  const joined: Series = {};
  for (const part of parts) {
    for (const [sign, points] of Object.entries(part)) joined[sign] = [...(joined[sign] ?? []), ...points];
  }
  for (const points of Object.values(joined)) points.sort((a, b) => a.time - b.time);
  return joined;
}
