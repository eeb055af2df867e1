/** A reading is stale when it is older than this many of its usual intervals. */
const intervals = 3;
const leastMs = 30_000;

/**
 * Whether a reading is older than it should be. The usual interval is what was seen of it; as long as too little was seen, the
 * silence after which the product counts as offline stands for three of them.
 */
export function isStale(time: number, offlineAfter: number, usual: number | undefined, now: number): boolean {
  const most = usual === undefined ? offlineAfter : Math.max(leastMs, intervals * usual);
  return now - time > most;
}

/** What was seen of the times at which properties were read. */
export interface Observed {
  latest: Readonly<Record<string, number>>;
  pauses: Readonly<Record<string, readonly number[]>>;
}

export const nothingObserved: Observed = { latest: {}, pauses: {} };
const kept = 9;
const enough = 2;

/** Takes note of the newest times; the same object when none is new. */
export function observe(observed: Observed, times: Readonly<Record<string, number>>): Observed {
  let next = observed;
  for (const [sign, time] of Object.entries(times)) {
    const before = next.latest[sign];
    if (before !== undefined && time <= before) continue;
    const pauses = next.pauses[sign] ?? [];
    next = {
      latest: { ...next.latest, [sign]: time },
      pauses: before === undefined ? next.pauses : { ...next.pauses, [sign]: [...pauses, time - before].slice(-kept) },
    };
  }
  return next;
}

/** The middle one of the pauses seen; undefined while too few were. */
export function usualInterval(observed: Observed, sign: string): number | undefined {
  const pauses = [...(observed.pauses[sign] ?? [])].sort((a, b) => a - b);
  return pauses.length < enough ? undefined : pauses[Math.floor(pauses.length / 2)];
}
