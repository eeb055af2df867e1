import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { isNoAnswer } from '../http/http';
import { shownAsOf } from './answerCache';

/** The time that the page is as of, and whether something on it says by itself that the server does not answer. */
export function useShownAsOf(): { asOf: number; told: boolean } {
  const client = useQueryClient();
  // Queries are made while others are drawn: what they change here is drawn after that.
  const watch = useCallback(
    (changed: () => void) => client.getQueryCache().subscribe(notifyManager.batchCalls(changed)),
    [client],
  );
  const asOf = useSyncExternalStore(watch, () => shownAsOf(client));
  const alreadyShown = useSyncExternalStore(watch, () =>
    client
      .getQueryCache()
      .findAll({ type: 'active' })
      .some(({ state, meta }) => meta?.banner && state.status === 'error' && isNoAnswer(state.error)),
  );
  return { asOf, told: alreadyShown };
}
