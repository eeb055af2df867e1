import { create } from 'zustand';
import { useSession } from '@/lib/session/session';
import type { NewCredential } from './queries';

interface FreshSecret {
  /** A secret that nobody has said to have stored yet; only in memory, and only of who is signed in. */
  fresh: NewCredential | null;
}

/**
 * Outlives the page on purpose: when the session is renewed while a key is made, people are led to the home page, and the secret,
 * which the server cannot tell again, would be lost. It is shown when they are back.
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
