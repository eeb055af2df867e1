import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { usePreferences } from '@/lib/storage/preferences';
import type { DataSearch, ReadingsView } from './search';
import type { Order } from './table/tableSections';

/**
 * How the readings are shown: what the address says, else what the user chose last. The table's
 * order is in the address too.
 */
export function useDataView() {
  const search = useSearch({ from: '/signed-in/shell/data' });
  const navigate = useNavigate({ from: '/data' });
  const preferred = usePreferences((preferences) => preferences.dataView);
  const prefer = usePreferences((preferences) => preferences.set);
  const change = useCallback(
    (next: Partial<DataSearch>) =>
      void navigate({ to: '.', search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false }),
    [navigate],
  );
  const { sort, down, flat } = search;
  const order = useMemo(
    (): Order | undefined => (sort === undefined ? undefined : { sign: sort, descending: down === 1 }),
    [sort, down],
  );
  return {
    view: search.view ?? preferred,
    order,
    flat: flat === 1,
    setView: useCallback(
      (view: ReadingsView) => {
        prefer({ dataView: view });
        change({ view });
      },
      [prefer, change],
    ),
    setOrder: useCallback(
      (next: Order | undefined) => change({ sort: next?.sign, down: next?.descending ? 1 : undefined }),
      [change],
    ),
    setFlat: useCallback((next: boolean) => change({ flat: next ? 1 : undefined }), [change]),
  };
}
