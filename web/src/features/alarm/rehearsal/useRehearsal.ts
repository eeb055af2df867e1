import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AlarmRuleCreate } from '@/lib/alarm/types';
import { ApiError, api } from '@/lib/http/api';

/** What is typed rests so long, then it is rehearsed. */
const pauseMs = 350;
/** The guard against sending twice forgets after a second what a newer question has ended. */
const minIntervalMs = 600;

/** What a form holds, as text, once it rests; `behind` until then. Null while that is not enough. */
export function useDebouncedBody(body: AlarmRuleCreate | null) {
  const text = body && JSON.stringify(body);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    if (text === null) return setSettled(null);
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return { settled, behind: text !== settled };
}

/** The rehearsal of what a form holds; null while that is not enough. A newer question ends the one before. */
export function useRehearsal(body: AlarmRuleCreate | null) {
  const { settled, behind } = useDebouncedBody(body);
  const query = useQuery({
    queryKey: ['alarm-rehearsal', settled],
    queryFn: ({ signal }) =>
      api.post('/admin-api/client/pc/alarm-rules/rehearse', { body: JSON.parse(settled ?? '{}'), signal }),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    // What is being typed is refused where it is typed.
    meta: { shows: [601], banner: true },
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: (failures, error) => failures < 3 && error instanceof ApiError && error.kind === 'duplicate',
    retryDelay: minIntervalMs,
  });
  return { ...query, waiting: behind || query.isFetching, asked: settled !== null };
}
