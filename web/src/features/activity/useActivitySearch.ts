import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { ActivitySearch } from './search';

/**
 * The search parameters and a function to change them. A changed filter leads to the first page and
 * its first entry.
 */
export function useActivitySearch() {
  const search = useSearch({ from: '/signed-in/shell/profile/activity' });
  const navigate = useNavigate({ from: '/profile/activity' });
  const change = useCallback(
    (part: Partial<ActivitySearch>) => {
      const first = { page: undefined, id: undefined };
      void navigate({ search: (before) => ({ ...before, ...first, ...part }), replace: true, resetScroll: false });
    },
    [navigate],
  );
  return { search, change };
}
