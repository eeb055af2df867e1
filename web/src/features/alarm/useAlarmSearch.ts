import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { AlarmSearch } from './search';

/** What is to be seen, and the ways to change it. */
export function useAlarmSearch() {
  const search = useSearch({ from: '/signed-in/shell/alarm' });
  const navigate = useNavigate({ from: '/alarm' });

  /** What narrows the list begins at its first page; of typing and choosing the way back keeps only the last. */
  const change = useCallback(
    (part: Partial<AlarmSearch>) => {
      const first = 'page' in part ? {} : { page: undefined };
      void navigate({ search: (before) => ({ ...before, ...first, ...part }), replace: true, resetScroll: false });
    },
    [navigate],
  );

  /** Opens a rule's form: a step that the browser's back button takes back. */
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
