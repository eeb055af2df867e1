import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import type { Strength } from './strength';

type Estimate = typeof import('./estimate')['estimate'];

/**
 * Loads the list of common passwords ahead. A failure is shown only when a password is estimated.
 */
export function prepareStrength(): void {
  import('./estimate').catch(() => undefined);
}

/**
 * `failed`: the list could not be loaded. Undefined: it is loading, or there is no password yet.
 */
export function useStrength(password: string, known: readonly string[]): Strength | 'failed' | undefined {
  const [estimate, setEstimate] = useState<{ of: Estimate } | 'failed'>();
  const wanted = password !== '';

  useEffect(() => {
    if (!wanted) return;
    let cancelled = false;
    import('./estimate').then(
      (module) => {
        if (!cancelled) setEstimate({ of: module.estimate });
      },
      () => {
        if (!cancelled) setEstimate('failed');
      },
    );
    return () => {
      cancelled = true;
    };
  }, [wanted]);

  // Deferred, so that a keystroke appears before its password is estimated.
  const typed = useDeferredValue(password);
  const strength = useMemo(
    () => (typed !== '' && typeof estimate === 'object' ? estimate.of(typed, known) : undefined),
    [typed, estimate, known],
  );
  return wanted && estimate === 'failed' ? estimate : strength;
}
