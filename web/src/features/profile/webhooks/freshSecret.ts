import { create } from 'zustand';
import { useSession } from '@/lib/session/session';

/** A webhook's secret that the user has not confirmed to have stored. */
export interface FreshWebhookSecret {
  name: string;
  secret: string;
}

/**
 * Kept only in memory and only for the signed-in user. It outlives the screen, but not a reload: the
 * server cannot show the secret again (the same as for credentials, `apps/freshSecret.ts`).
 */
export const useFreshWebhookSecret = create<{ fresh: FreshWebhookSecret | null }>(() => ({ fresh: null }));

export function keepWebhookSecret(fresh: FreshWebhookSecret): void {
  useFreshWebhookSecret.setState({ fresh });
}

export function forgetWebhookSecret(): void {
  useFreshWebhookSecret.setState({ fresh: null });
}

useSession.subscribe(({ session }, before) => {
  if (session?.userId !== before.session?.userId) forgetWebhookSecret();
});
