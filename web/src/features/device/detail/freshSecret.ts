import { create } from 'zustand';
import { useSession } from '@/lib/session/session';

export interface FreshSecret {
  /** What people call the device. */
  name: string;
  secret: string;
}

interface FreshState {
  /** A secret that nobody has said to have stored yet; only in memory, and only of who is signed in. */
  fresh: FreshSecret | null;
}

/** Outlives the page on purpose: the server cannot tell the secret again, so it is shown when its person is back. */
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
