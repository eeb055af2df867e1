import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { isSilence } from '../http';
import { shownAsOf } from './keep';

/** The time that the page is as of, and whether something on it says by itself that the server does not answer. */
export function useShownAsOf(): { asOf: number; told: boolean } {
  const client = useQueryClient();
  const watch = (changed: () => void) => client.getQueryCache().subscribe(changed);
  const asOf = useSyncExternalStore(watch, () => shownAsOf(client));
  const told = useSyncExternalStore(watch, () =>
    client
      .getQueryCache()
      .findAll({ type: 'active' })
      .some(({ state, meta }) => meta?.banner && state.status === 'error' && isSilence(state.error)),
  );
  return { asOf, told };
}
