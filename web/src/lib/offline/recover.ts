import type { QueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { isSilence } from '../http';
import { toast } from '../notices';
import { noteNetwork, useReach } from './reach';

/**
 * Follows whether the machine has a network, and once the server is heard of again asks anew for what is on the screen; says when it
 * is up to date. Returns how to stop.
 */
export function followReach(client: QueryClient): () => void {
  let asking = false;
  /** Only what was told of is worth the news that it is over. */
  let told = false;

  const ask = async () => {
    if (asking) return;
    asking = true;
    try {
      await client.invalidateQueries();
    } finally {
      asking = false;
    }
    if (!told || useReach.getState().reach !== 'online' || anySilent(client)) return;
    told = false;
    toast.success(i18next.t('offline.upToDate'));
  };

  const onNetwork = () => {
    const before = useReach.getState().reach;
    noteNetwork();
    if (before === 'offline' && useReach.getState().reach !== 'offline') void ask();
  };
  const stopReach = useReach.subscribe(({ reach }, before) => {
    if (reach === before.reach) return;
    if (reach === 'offline' || reach === 'silent') told = true;
    if (reach === 'online' && told) void ask();
  });
  window.addEventListener('online', onNetwork);
  window.addEventListener('offline', onNetwork);
  noteNetwork();
  return () => {
    stopReach();
    window.removeEventListener('online', onNetwork);
    window.removeEventListener('offline', onNetwork);
  };
}

/** Whether something on the screen was not answered. */
function anySilent(client: QueryClient): boolean {
  return client
    .getQueryCache()
    .findAll({ type: 'active' })
    .some(({ state: { error } }) => isSilence(error));
}
