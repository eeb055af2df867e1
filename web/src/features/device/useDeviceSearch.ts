import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { DeviceSearch, SortColumn } from './search';

/** What is to be seen, and the ways to change it. */
export function useDeviceSearch() {
  const search = useSearch({ from: '/signed-in/shell/device' });
  const navigate = useNavigate({ from: '/device' });

  /** What narrows or orders the list begins at its first page; of typing and choosing the way back keeps only the last. */
  const change = useCallback(
    (part: Partial<DeviceSearch>) => {
      const first = 'page' in part ? {} : { page: undefined };
      void navigate({ search: (before) => ({ ...before, ...first, ...part }), replace: true, resetScroll: false });
    },
    [navigate],
  );

  /** Opens a device's sheet: a step that the browser's back button takes back. */
  const open = useCallback(
    (device: string, edit = false) => {
      const part: Partial<DeviceSearch> = { device, edit: edit || undefined };
      void navigate({ search: (before) => ({ ...before, ...part }), resetScroll: false });
    },
    [navigate],
  );

  const close = useCallback(() => {
    void navigate({ search: (before) => ({ ...before, device: undefined, edit: undefined }), resetScroll: false });
  }, [navigate]);

  /** Newest first where that is what people look for; the second choice turns it, the third lets go of it. */
  const sortBy = useCallback(
    (column: SortColumn) => {
      const begins = column === 'lastContact' || column === 'onlineState' ? true : undefined;
      void navigate({
        search: (before) => {
          const turned = before.descending ? undefined : (true as const);
          const same = before.sort === column;
          if (same && before.descending !== begins) {
            return { ...before, sort: undefined, descending: undefined, page: undefined };
          }
          return { ...before, sort: column, descending: same ? turned : begins, page: undefined };
        },
        replace: true,
        resetScroll: false,
      });
    },
    [navigate],
  );

  return useMemo(() => ({ search, change, open, close, sortBy }), [search, change, open, close, sortBy]);
}
