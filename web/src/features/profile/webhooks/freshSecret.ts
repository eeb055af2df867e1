import { create } from 'zustand';
import { useSession } from '@/lib/session/session';

/** A webhook's secret that nobody has said to have stored yet. */
export interface FreshWebhookSecret {
  name: string;
  secret: string;
}

/** Only in memory, and only of who is signed in; it outlives the page, as a key's does. */
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
