import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { isNoAnswer } from '../http/http';
import { shownAsOf } from './answerCache';

/**
 * The time as of which the page is current, and whether something on it already says that the
 * server does not answer.
 */
export function useShownAsOf(): { asOf: number; told: boolean } {
  const client = useQueryClient();
  // Queries are created during the rendering of other components: batching delays the update until
  // after that.
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
