import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { NoticesSearch } from './search';

/** What is to be seen, and the ways to change it. */
export function useNoticesSearch() {
  const search = useSearch({ from: '/signed-in/shell/inform' });
  const navigate = useNavigate({ from: '/inform' });

  /** Another list begins at its first page and with its first notice; of narrowing it the way back keeps only the last. */
  const change = useCallback(
    (part: Partial<NoticesSearch>) =>
      void navigate({
        search: (before) => ({ ...before, page: undefined, id: undefined, ...part }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );

  /** Opens a notice beside the list; `step`: in its place, so that the way back leads to the list. */
  const open = useCallback(
    (id: number | undefined, step: boolean) =>
      void navigate({ search: (before) => ({ ...before, id }), replace: !step, resetScroll: step }),
    [navigate],
  );
  return useMemo(() => ({ search, change, open }), [search, change, open]);
}
