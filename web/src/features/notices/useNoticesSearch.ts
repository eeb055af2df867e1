import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { NoticesSearch } from './search';

/** The search parameters and functions to change them. */
export function useNoticesSearch() {
  const search = useSearch({ from: '/signed-in/shell/inform' });
  const navigate = useNavigate({ from: '/inform' });

  /**
   * A changed filter leads to the first page and its first notice. Filtering replaces the history
   * entry, so that Back undoes it as one step.
   */
  const change = useCallback(
    (part: Partial<NoticesSearch>) =>
      void navigate({
        search: (before) => ({ ...before, page: undefined, id: undefined, solve: undefined, ...part }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );

  /**
   * Opens a notice beside the list. `step`: it opens in the list's place and in a new history
   * entry, so that Back leads to the list.
   */
  const open = useCallback(
    (id: number | undefined, step: boolean) =>
      void navigate({ search: (before) => ({ ...before, id, solve: undefined }), replace: !step, resetScroll: step }),
    [navigate],
  );
  /** The dialog that the address opened is closed; Back and a reload do not open it again. */
  const closeSolve = useCallback(
    () => void navigate({ search: (before) => ({ ...before, solve: undefined }), replace: true, resetScroll: false }),
    [navigate],
  );
  return useMemo(() => ({ search, change, open, closeSolve }), [search, change, open, closeSolve]);
}
