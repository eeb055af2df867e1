import type { Preset } from './presets';

/** What the analysis page is opened with. */
export interface AnalysisTarget {
  /** Names of devices. */
  devices: readonly string[];
  /** Identifiers of attributes; without any, the page shows the main one. */
  signs?: readonly string[];
  /** Epoch milliseconds; without it, a range up to now. */
  span?: { from: number; to: number };
  /** In place of `span`; without both, the page's usual range. */
  range?: Preset;
  /** The id of a notice, whose limits are drawn. */
  alarm?: number | undefined;
}

/** The page's search parameters for it. */
export function analysisAddress({ devices, signs = [], span, range, alarm }: AnalysisTarget) {
  return {
    devices: devices.join(','),
    ...(signs.length > 0 ? { signs: signs.join(',') } : {}),
    ...(span ? { from: Math.floor(span.from), to: Math.ceil(span.to) } : {}),
    ...(range ? { range } : {}),
    ...(alarm === undefined ? {} : { alarm }),
  };
}

const dayMs = 86_400_000;
const lengths = [
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['season', 120],
  ['year', 365],
] as const;

/** The shortest range up to now that has at least as much before a moment as after it. */
export function rangeAround(time: number, now: number): Preset {
  return lengths.find(([, days]) => 2 * (now - time) <= days * dayMs)?.[0] ?? 'all';
}
