import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AlarmRuleCreate } from '@/lib/alarm/types';
import { ApiError, api } from '@/lib/http/api';

/** The form's values are rehearsed once they have not changed for this long. */
const pauseMs = 350;
/**
 * Retry delay: the duplicate-request guard remembers a request for a second, even if a newer one
 * has aborted it.
 */
const minIntervalMs = 600;

/**
 * The form's values as JSON once they have not changed for a while; until then `behind` is true.
 * Null while the form does not hold enough.
 */
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

/**
 * The rehearsal of a form's values; `body` is null while the form does not hold enough. A newer
 * request aborts the one before.
 */
export function useRehearsal(body: AlarmRuleCreate | null) {
  const { settled, behind } = useDebouncedBody(body);
  const query = useQuery({
    queryKey: ['alarm-rehearsal', settled],
    queryFn: ({ signal }) =>
      api.post('/admin-api/client/pc/alarm-rules/rehearse', { body: JSON.parse(settled ?? '{}'), signal }),
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    // The form itself shows the refusals of values that the user is typing.
    meta: { shows: [601], banner: true },
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    retry: (failures, error) => failures < 3 && error instanceof ApiError && error.kind === 'duplicate',
    retryDelay: minIntervalMs,
  });
  return { ...query, waiting: behind || query.isFetching, isEnabled: settled !== null };
}
