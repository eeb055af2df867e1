import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { AlarmSearch } from './search';

/** The search parameters and functions to change them. */
export function useAlarmSearch() {
  const search = useSearch({ from: '/signed-in/shell/alarm' });
  const navigate = useNavigate({ from: '/alarm' });

  /**
   * A changed filter leads to the first page. Typing and filtering replace the history entry, so
   * that Back undoes them as one step.
   */
  const change = useCallback(
    (part: Partial<AlarmSearch>) => {
      const first = 'page' in part ? {} : { page: undefined };
      void navigate({ search: (before) => ({ ...before, ...first, ...part }), replace: true, resetScroll: false });
    },
    [navigate],
  );

  /** Opens a rule's form in a new history entry, so that the browser's Back button closes it. */
  const open = useCallback(
    (rule: AlarmSearch['rule']) => void navigate({ search: (before) => ({ ...before, rule }), resetScroll: false }),
    [navigate],
  );
  const close = useCallback(
    () => void navigate({ search: (before) => ({ ...before, rule: undefined }), resetScroll: false }),
    [navigate],
  );
  return useMemo(() => ({ search, change, open, close }), [search, change, open, close]);
}
