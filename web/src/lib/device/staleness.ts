/** A reading is stale when it is older than this many of its usual intervals. */
const staleAfterIntervals = 3;
const minStaleMs = 30_000;

/**
 * Whether a reading is older than expected. The usual interval is the observed one; until enough
 * was observed, the silence after which the product counts as offline replaces three intervals.
 */
export function isStale(time: number, offlineAfter: number, usual: number | undefined, now: number): boolean {
  const most = usual === undefined ? offlineAfter : Math.max(minStaleMs, staleAfterIntervals * usual);
  return now - time > most;
}

/** The observed times at which properties were read. */
export interface ObservedTimes {
  latest: Readonly<Record<string, number>>;
  pauses: Readonly<Record<string, readonly number[]>>;
}

export const noObservedTimes: ObservedTimes = { latest: {}, pauses: {} };
const maxPauses = 9;
const minPauses = 2;

/** Adds the newest times; returns the same object when none is new. */
export function addObservedTimes(observed: ObservedTimes, times: Readonly<Record<string, number>>): ObservedTimes {
  let next = observed;
  for (const [sign, time] of Object.entries(times)) {
    const before = next.latest[sign];
    if (before !== undefined && time <= before) continue;
    const pauses = next.pauses[sign] ?? [];
    next = {
      latest: { ...next.latest, [sign]: time },
      pauses:
        before === undefined ? next.pauses : { ...next.pauses, [sign]: [...pauses, time - before].slice(-maxPauses) },
    };
  }
  return next;
}

/** The median of the observed pauses; undefined while there are too few. */
export function usualInterval(observed: ObservedTimes, sign: string): number | undefined {
  const pauses = [...(observed.pauses[sign] ?? [])].sort((a, b) => a - b);
  return pauses.length < minPauses ? undefined : pauses[Math.floor(pauses.length / 2)];
}
