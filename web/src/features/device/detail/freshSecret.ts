import { create } from 'zustand';
import { useSession } from '@/lib/session/session';

export interface FreshSecret {
  /** The device's title. */
  name: string;
  secret: string;
}

interface FreshState {
  /**
   * A secret that the user has not confirmed to have stored. It is kept only in memory and only for
   * the signed-in user.
   */
  fresh: FreshSecret | null;
}

/**
 * Outlives the page on purpose: the server cannot show the secret again, so it is shown when the
 * user returns.
 */
export const useFreshSecret = create<FreshState>(() => ({ fresh: null }));

export function keepSecret(fresh: FreshSecret): void {
  useFreshSecret.setState({ fresh });
}

export function forgetSecret(): void {
  useFreshSecret.setState({ fresh: null });
}

useSession.subscribe(({ session }, before) => {
  if (session?.userId !== before.session?.userId) forgetSecret();
});
