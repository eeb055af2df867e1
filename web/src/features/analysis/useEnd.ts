import { useState } from 'react';
import { now } from '@/lib/format/clock';
import type { AnalysisSearch } from './search';

/** Within this time, ranges up to now keep their end: Back then shows what was fetched already. */
const keptMs = 60_000;

/** The end of ranges up to now: the time at which the range was chosen. */
export function useEnd({ range, from, to }: AnalysisSearch): { end: number; renew: () => void } {
  const wanted = `${range} ${from} ${to}`;
  const [chosen, setChosen] = useState(() => ({ wanted, end: Math.ceil(now()) }));
  const renew = () => setChosen({ wanted, end: Math.ceil(now()) });
  // Not by whoever changes the address: the page would ask once more for the old range, up to the new end.
  if (chosen.wanted !== wanted) {
    const fresh = Math.ceil(now());
    setChosen({ wanted, end: fresh - chosen.end > keptMs ? fresh : chosen.end });
  }
  return { end: chosen.end, renew };
}
