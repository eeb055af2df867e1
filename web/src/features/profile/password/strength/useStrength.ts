import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { Strength } from './strength';

type Estimate = typeof import('./estimate')['estimate'];

/** Fetches the list of common passwords ahead. A failure shows when a password is to be judged. */
export function prepareStrength(): void {
  import('./estimate').catch(() => undefined);
}

/** `failed`: the list could not be fetched. Undefined: it is on its way, or there is no password yet. */
export function useStrength(password: string, known: readonly string[]): Strength | 'failed' | undefined {
  const [estimate, setEstimate] = useState<{ of: Estimate } | 'failed'>();
  const wanted = password !== '';

  useEffect(() => {
    if (!wanted) return;
    let gone = false;
    import('./estimate').then(
      (module) => {
        if (!gone) setEstimate({ of: module.estimate });
      },
      () => {
        if (!gone) setEstimate('failed');
      },
    );
    return () => {
      gone = true;
    };
  }, [wanted]);

  // A letter is on the screen before the password with it is judged.
  const typed = useDeferredValue(password);
  const strength = useMemo(
    () => (typed !== '' && typeof estimate === 'object' ? estimate.of(typed, known) : undefined),
    [typed, estimate, known],
  );
  return wanted && estimate === 'failed' ? estimate : strength;
}
