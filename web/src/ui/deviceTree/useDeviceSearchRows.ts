import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { type PageFilter, pageQuery } from '@/lib/device/queries';
import type { DevicePage } from '@/lib/device/types';
import { useDebouncedText } from '@/lib/hooks/useDebouncedText';
import { useLanguage } from '@/lib/i18n/i18n';
import { type Row, searchRows } from './rows';

export interface Search {
  /** The searched text, which follows the typed one after a pause. */
  text: string;
  /** A search is active: for a text, a state, or both. */
  active: boolean;
  rows: Row[];
  /** Undefined until the first answer. */
  total: number | undefined;
  error: unknown;
  retry: () => void;
  more: () => void;
}

/** Searches devices by remark name, device name or serial, or by state, a hundred at a time. */
export function useDeviceSearchRows(typed: string, onlineState?: 0 | 1, takesRule?: number): Search {
  const language = useLanguage((state) => state.language);
  const text = useDebouncedText(typed.trim());
  const active = text !== '' || onlineState !== undefined;
  const searchKey = `${onlineState} ${text}`;
  const [pages, setPages] = useState({ asked: searchKey, count: 1 });
  const count = pages.asked === searchKey ? pages.count : 1;
  const filter: PageFilter = {
    ...(text === '' ? {} : { deviceName: text }),
    ...(onlineState === undefined ? {} : { onlineState }),
    ...(takesRule === undefined ? {} : { takesRule }),
  };

  return useQueries({
    queries: Array.from({ length: active ? count : 0 }, (_, i) => pageQuery(language, filter, i + 1)),
    combine: (results: UseQueryResult<DevicePage>[]): Search => {
      const loaded = results.flatMap(({ data }) => data?.list ?? []);
      const total = results[0]?.data?.total;
      const failed = results.find(({ isError, data }) => isError && !data);
      const loading = results.some(({ isFetching, data }) => isFetching && !data);
      return {
        text,
        active,
        rows: searchRows(loaded, total ?? 0, loading ? 'loading' : failed ? 'failed' : 'idle'),
        total,
        error: results[0]?.data ? null : (results[0]?.error ?? null),
        retry: () => void failed?.refetch(),
        more: () => (failed ? void failed.refetch() : setPages({ asked: searchKey, count: count + 1 })),
      };
    },
  });
}
