import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Debounce } from '@/lib/device/live/debounce';
import { useLive } from '@/lib/live/live';
import { webhooksKey } from './queries';

/** A storm of alarms is many deliveries, and one question. */
const askMs = [150, 600] as const;

/** Keeps the list with what the server does: the answer to a delivery may have switched a webhook off. */
export function useWebhooksLive(): void {
  const client = useQueryClient();
  const [asking] = useState(
    () => new Debounce(() => void client.invalidateQueries({ queryKey: webhooksKey }), ...askMs),
  );
  useEffect(() => () => asking.cancel(), [asking]);
  useLive((events) => {
    if (events.some(({ name }) => name === 'delivery' || name === 'reset')) asking.request();
  });
}
