import type { QueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { toast } from '../feedback/feedback';
import { isNoAnswer } from '../http/http';
import { noteNetworkChange, useReachability } from './reachability';

/**
 * Follows whether the machine has a network, and once the server is heard of again asks anew for what is on the screen; says when it
 * is up to date. Returns how to stop.
 */
export function followReachability(client: QueryClient): () => void {
  let refetching = false;
  /** Only what was told of is worth the news that it is over. */
  let announced = false;

  const refetch = async () => {
    if (refetching) return;
    refetching = true;
    try {
      await client.invalidateQueries();
    } finally {
      refetching = false;
    }
    if (!announced || useReachability.getState().reach !== 'online' || hasUnansweredQuery(client)) return;
    announced = false;
    toast.success(i18next.t('offline.upToDate'));
  };

  const onNetwork = () => {
    const before = useReachability.getState().reach;
    noteNetworkChange();
    if (before === 'offline' && useReachability.getState().reach !== 'offline') void refetch();
  };
  const stopReach = useReachability.subscribe(({ reach }, before) => {
    if (reach === before.reach) return;
    if (reach === 'offline' || reach === 'silent') announced = true;
    if (reach === 'online' && announced) void refetch();
  });
  window.addEventListener('online', onNetwork);
  window.addEventListener('offline', onNetwork);
  noteNetworkChange();
  return () => {
    stopReach();
    window.removeEventListener('online', onNetwork);
    window.removeEventListener('offline', onNetwork);
  };
}

/** Whether something on the screen was not answered. */
function hasUnansweredQuery(client: QueryClient): boolean {
  return client
    .getQueryCache()
    .findAll({ type: 'active' })
    .some(({ state: { error } }) => isNoAnswer(error));
}
