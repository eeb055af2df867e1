import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { pageQuery } from '@/lib/device/queries';
import type { DevicePage, Group } from '@/lib/device/types';
import { useLanguage } from '@/lib/i18n/i18n';
import type { MoreDevices } from './rows';

interface PageRequest {
  groupId: number;
  pageNo: number;
}

/**
 * The devices of groups beyond the first hundred, which come with the groups themselves; fetched a
 * hundred at a time.
 */
export function useMoreDevices(groups: readonly Group[], takesRule?: number) {
  const language = useLanguage((state) => state.language);
  const [pages, setPages] = useState<Readonly<Record<number, number>>>({});

  const asked = useMemo(() => {
    return groups.flatMap(({ id }) => {
      // The first page came with the groups.
      return Array.from({ length: pages[id] ?? 0 }, (_, i): PageRequest => ({ groupId: id, pageNo: i + 2 }));
    });
  }, [groups, pages]);

  const combine = useCallback((results: UseQueryResult<DevicePage>[]) => combineResults(asked, results), [asked]);
  const queries = asked.map(({ groupId, pageNo }) => pageQuery(language, { groupId, takesRule }, pageNo));
  const { more, failed } = useQueries({ queries, combine });

  const load = useCallback(
    (groupId: number) => {
      const refetch = failed.get(groupId);
      if (refetch) refetch();
      else setPages((before) => ({ ...before, [groupId]: (before[groupId] ?? 0) + 1 }));
    },
    [failed],
  );
  return { more, load };
}

function combineResults(asked: readonly PageRequest[], results: readonly UseQueryResult<DevicePage>[]) {
  const more = new Map<number, MoreDevices>();
  const failed = new Map<number, () => void>();
  asked.forEach(({ groupId }, i) => {
    const result = results[i];
    if (!result) return;
    const before = more.get(groupId) ?? { devices: [], state: 'idle' as const };
    const devices = result.data ? [...before.devices, ...result.data.list] : before.devices;
    if (result.isError && !result.data) failed.set(groupId, () => void result.refetch());
    const own = result.isFetching && !result.data ? 'loading' : result.isError && !result.data ? 'failed' : 'idle';
    more.set(groupId, { devices, state: before.state === 'idle' ? own : before.state });
  });
  return { more, failed };
}
