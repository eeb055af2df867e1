import { startTransition, useEffect, useState } from 'react';

/**
 * Counts from 0 to `last`, a step after each drawn frame: a page that mounts a part with each step shows
 * its first part soon, and never holds up a tap by mounting all of it.
 */
export function useStages(last: number): number {
  const [stage, setStage] = useState(0);
  useEffect(() => {
    if (stage < last) startTransition(() => setStage(stage + 1));
  }, [stage, last]);
  return stage;
}
