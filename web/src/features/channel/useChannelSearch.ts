import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { ChannelSearch } from './search';

/** The search parameters and functions to change them. */
export function useChannelSearch() {
  const search = useSearch({ from: '/signed-in/shell/notification' });
  const navigate = useNavigate({ from: '/notification' });

  /** A changed filter leads to the first page. */
  const change = useCallback(
    (part: Partial<ChannelSearch>) => {
      const first = 'page' in part ? {} : { page: undefined };
      void navigate({ search: (before) => ({ ...before, ...first, ...part }), replace: true, resetScroll: false });
    },
    [navigate],
  );

  /** Opens or closes a form in a new history entry, so that the browser's Back button undoes it. */
  const open = useCallback(
    (channel: ChannelSearch['channel']) => {
      void navigate({ search: (before) => ({ ...before, channel }), resetScroll: false });
    },
    [navigate],
  );
  const close = useCallback(() => open(undefined), [open]);
  return useMemo(() => ({ search, change, open, close }), [search, change, open, close]);
}
