import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Debounce } from '@/lib/device/live/debounce';
import { useLive } from '@/lib/live/live';
import { alarmKeys } from './queries';

/** Notices change the marks of cards within the second; a burst of them is one question. */
const noticesMs = [150, 600] as const;
/** Readings change how close a rule is; nobody reads that by the second. */
const readingsMs = 30_000;

/** Keeps the cards with what the server tells. */
export function useAlarmLive(): void {
  const client = useQueryClient();
  const [live] = useState(() => {
    const ask = (kind: 'page' | 'outlook' | 'devices') =>
      void client.invalidateQueries({ queryKey: alarmKeys.kind(kind) });
    return {
      notices: new Debounce(
        () => {
          ask('page');
          ask('outlook');
          ask('devices');
        },
        ...noticesMs,
      ),
      readings: new Debounce(() => ask('outlook'), readingsMs, readingsMs),
    };
  });
  useEffect(
    () => () => {
      live.notices.cancel();
      live.readings.cancel();
    },
    [live],
  );
  useLive((events) => {
    const has = (...names: string[]) => events.some(({ name }) => names.includes(name));
    if (has('notice', 'reset')) live.notices.request();
    if (has('reading', 'presence')) live.readings.request();
  });
}
