import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { AddWay, DeviceSearch, SortColumn } from './search';

/** The search parameters and functions to change them. */
export function useDeviceSearch() {
  const search = useSearch({ from: '/signed-in/shell/device' });
  const navigate = useNavigate({ from: '/device' });

  /**
   * A changed filter or order leads to the first page. Typing and filtering replace the history
   * entry, so that Back undoes them as one step.
   */
  const change = useCallback(
    (part: Partial<DeviceSearch>) => {
      const first = 'page' in part ? {} : { page: undefined };
      void navigate({ search: (before) => ({ ...before, ...first, ...part }), replace: true, resetScroll: false });
    },
    [navigate],
  );

  /** Opens a device's sheet in a new history entry, so that the browser's Back button closes it. */
  const open = useCallback(
    (device: string, edit = false) => {
      const part: Partial<DeviceSearch> = { device, edit: edit || undefined, add: undefined };
      void navigate({ search: (before) => ({ ...before, ...part }), resetScroll: false });
    },
    [navigate],
  );

  const close = useCallback(() => {
    void navigate({ search: (before) => ({ ...before, device: undefined, edit: undefined }), resetScroll: false });
  }, [navigate]);

  /**
   * Opens the dialog that adds devices in a new history entry, so that the browser's Back button closes
   * it. Another way replaces that entry.
   */
  const add = useCallback(
    (way: AddWay | undefined) => {
      void navigate({
        search: (before) => ({ ...before, add: way }),
        replace: way !== undefined && search.add !== undefined,
        resetScroll: false,
      });
    },
    [navigate, search.add],
  );

  /**
   * The first click sorts by a column (contact and state in descending order), the second reverses
   * the order, the third restores the default.
   */
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

  return useMemo(() => ({ search, change, open, close, add, sortBy }), [search, change, open, close, add, sortBy]);
}
