import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Debouncer } from '@/lib/async/debouncer';
import { useLive } from '@/lib/live/useLive';
import { webhooksKey } from './queries';

/** A burst of alarms causes many deliveries but only one refetch. */
const refetchDebounceMs = [150, 600] as const;

/** Keeps the list current: the answer to a delivery may have disabled a webhook. */
export function useWebhooksLive(): void {
  const client = useQueryClient();
  const [refetchSoon] = useState(
    () => new Debouncer(() => void client.invalidateQueries({ queryKey: webhooksKey }), ...refetchDebounceMs),
  );
  useEffect(() => () => refetchSoon.cancel(), [refetchSoon]);
  useLive((events) => {
    if (events.some(({ name }) => name === 'delivery' || name === 'reset')) refetchSoon.request();
  });
}
