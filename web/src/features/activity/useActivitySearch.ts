import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { ActivitySearch } from './search';

/** What is to be seen, and the way to change it. What narrows the list begins at its first page. */
export function useActivitySearch() {
  const search = useSearch({ from: '/signed-in/shell/profile/activity' });
  const navigate = useNavigate({ from: '/profile/activity' });
  const change = useCallback(
    (part: Partial<ActivitySearch>) => {
      const first = 'page' in part ? {} : { page: undefined };
      void navigate({ search: (before) => ({ ...before, ...first, ...part }), replace: true, resetScroll: false });
    },
    [navigate],
  );
  return { search, change };
}
