import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLanguage } from '@/lib/i18n';
import { pageQuery } from '../queries';
import type { DevicePage } from '../types';
import { type Row, searchRows } from './rows';

const pauseMs = 250;

export interface Search {
  /** What was asked for, which follows what is typed after a pause. */
  text: string;
  rows: Row[];
  /** Undefined until the first answer. */
  total: number | undefined;
  error: unknown;
  retry: () => void;
  more: () => void;
}

/** Devices whose remark name, device name or serial holds what is typed, a hundred at a time. */
export function useSearch(typed: string): Search {
  const language = useLanguage((state) => state.language);
  const text = useSettled(typed.trim());
  const [pages, setPages] = useState({ text, count: 1 });
  const count = pages.text === text ? pages.count : 1;

  return useQueries({
    queries: Array.from({ length: text === '' ? 0 : count }, (_, i) =>
      pageQuery(language, { deviceName: text }, i + 1),
    ),
    combine: (results: UseQueryResult<DevicePage>[]): Search => {
      const loaded = results.flatMap(({ data }) => data?.list ?? []);
      const total = results[0]?.data?.total;
      const failed = results.find(({ isError, data }) => isError && !data);
      const loading = results.some(({ isFetching, data }) => isFetching && !data);
      return {
        text,
        rows: searchRows(loaded, total ?? 0, loading ? 'loading' : failed ? 'failed' : 'idle'),
        total,
        error: results[0]?.data ? null : (results[0]?.error ?? null),
        retry: () => void failed?.refetch(),
        more: () => (failed ? void failed.refetch() : setPages({ text, count: count + 1 })),
      };
    },
  });
}

/** A value that follows another once it has stood still. Emptied, it follows at once. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (value === '') {
      setSettled('');
      return;
    }
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
