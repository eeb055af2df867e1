import type { QueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { toast } from '../feedback/feedback';
import { isNoAnswer } from '../http/http';
import { noteNetworkChange, useReachability } from './reachability';

/**
 * Follows whether the machine has a network and the server answers. Once the server answers again, it
 * refetches the screen's data, and a toast says when that is current. Returns a function that stops it.
 */
export function followReachability(client: QueryClient): () => void {
  let refetching = false;
  /** True once the status banner has told of an outage; only such an outage gets a toast at its end. */
  let announced = false;

  const refetch = async () => {
    if (refetching) return;
    refetching = true;
    try {
      await client.invalidateQueries();
    } finally {
      refetching = false;
    }
    // If a query is still unanswered, the toast waits for the next time that the server is back.
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

/** Whether a query of the screen has no answer. */
function hasUnansweredQuery(client: QueryClient): boolean {
  return client
    .getQueryCache()
    .findAll({ type: 'active' })
    .some(({ state: { error } }) => isNoAnswer(error));
}
