import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { type Choice, choiceOf, searchOf } from './choice';
import type { DataSearch } from './search';

export type OnlineFilter = DataSearch['state'];

/**
 * The user's choice of devices. It is kept in the address, so that it survives a reload and can be
 * shared.
 */
export function useChoice() {
  const { scenes, devices, except, state } = useSearch({ from: '/signed-in/shell/data' });
  const navigate = useNavigate({ from: '/data' });
  const choice = useMemo(() => choiceOf({ scenes, devices, except }), [scenes, devices, except]);
  const change = useCallback(
    (next: Partial<DataSearch>) =>
      void navigate({ to: '.', search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false }),
    [navigate],
  );
  return {
    choice,
    state,
    choose: useCallback((next: Choice) => change(searchOf(next)), [change]),
    filter: useCallback((next: OnlineFilter) => change({ state: next }), [change]),
  };
}
