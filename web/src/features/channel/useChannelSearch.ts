import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { ChannelSearch } from './search';

/** What is to be seen, and the ways to change it. */
export function useChannelSearch() {
  const search = useSearch({ from: '/signed-in/shell/notification' });
  const navigate = useNavigate({ from: '/notification' });

  /** What narrows the list begins at its first page. */
  const change = useCallback(
    (part: Partial<ChannelSearch>) => {
      const first = 'page' in part ? {} : { page: undefined };
      void navigate({ search: (before) => ({ ...before, ...first, ...part }), replace: true, resetScroll: false });
    },
    [navigate],
  );

  /** Opens a form, or closes it: a step that the browser's back button takes back. */
  const open = useCallback(
    (channel: ChannelSearch['channel']) => {
      void navigate({ search: (before) => ({ ...before, channel }), resetScroll: false });
    },
    [navigate],
  );
  const close = useCallback(() => open(undefined), [open]);
  return useMemo(() => ({ search, change, open, close }), [search, change, open, close]);
}
