import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Debouncer } from '@/lib/async/debouncer';
import { changesOf } from '@/lib/device/live/changes';
import { now } from '@/lib/format/clock';
import { mayLackEvents } from '@/lib/live/deliveries';
import { useLive } from '@/lib/live/useLive';
import { applyToAttention } from './applyToAttention';
import { type Attention, attentionKey } from './queries';

/** An alarm appears within a second; a burst of events causes one refetch. */
const eventDebounceMs = [150, 600] as const;
/**
 * A reading of a listed device changes its value at once. By how much it rose or fell over its
 * span is the server's to say, and need not follow every reading.
 */
const trendDebounceMs = [5_000, 15_000] as const;

/**
 * Keeps what needs a person current: values from the readings themselves, and the list by another
 * fetch when an alarm or a device came or went. Nothing polls.
 */
export function useAttentionLive(): void {
  const client = useQueryClient();
  const [refetches] = useState(() => {
    const refetch = () => void client.invalidateQueries({ queryKey: attentionKey });
    return { soon: new Debouncer(refetch, ...eventDebounceMs), trend: new Debouncer(refetch, ...trendDebounceMs) };
  });
  useEffect(() => {
    void client.invalidateQueries({
      queryKey: attentionKey,
      predicate: ({ state }) => state.data !== undefined && mayLackEvents(state.dataUpdatedAt),
    });
    return () => {
      refetches.soon.cancel();
      refetches.trend.cancel();
    };
  }, [client, refetches]);

  useLive((events) => {
    if (events.some(({ name }) => name === 'reset')) void client.invalidateQueries({ queryKey: attentionKey });
    else if (events.some(({ name }) => name === 'notice' || name === 'presence')) refetches.soon.request();
    const changes = changesOf(events, now());
    if (changes.latest.size === 0) return;
    for (const [key, attention] of client.getQueriesData<Attention>({ queryKey: attentionKey })) {
      if (!attention) continue;
      const next = applyToAttention(attention, changes);
      if (next === attention) continue;
      client.setQueryData(key, next);
      refetches.trend.request();
    }
  });
}
