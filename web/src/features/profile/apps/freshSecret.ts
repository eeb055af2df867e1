import { create } from 'zustand';
import { useSession } from '@/lib/session/session';
import type { NewCredential } from './queries';

interface FreshSecret {
  /**
   * A secret that the user has not confirmed to have stored. It is kept only in memory and only for
   * the signed-in user.
   */
  fresh: NewCredential | null;
}

/**
 * Outlives the page on purpose: if the session is renewed while a key is being created, the user is
 * led to the home page, and the secret, which the server cannot show again, would be lost. It is
 * shown when the user returns.
 */
export const useFreshSecret = create<FreshSecret>(() => ({ fresh: null }));

export function keepSecret(fresh: NewCredential): void {
  useFreshSecret.setState({ fresh });
}

export function forgetSecret(): void {
  useFreshSecret.setState({ fresh: null });
}

useSession.subscribe(({ session }, before) => {
  if (session?.userId !== before.session?.userId) forgetSecret();
});
