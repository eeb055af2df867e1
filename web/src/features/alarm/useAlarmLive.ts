import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Debouncer } from '@/lib/async/debouncer';
import { useLive } from '@/lib/live/useLive';
import { alarmKeys } from './queries';

/** Notices change the marks of rules within a second; a burst of notices causes one refetch. */
const noticesDebounceMs = [150, 600] as const;
/** Readings change how close a rule is to triggering; that need not be current to the second. */
const readingsDebounceMs = 30_000;

/** Keeps the rules current with the events of the live stream. */
export function useAlarmLive(): void {
  const client = useQueryClient();
  const [live] = useState(() => {
    const ask = (kind: 'page' | 'outlook' | 'devices') =>
      void client.invalidateQueries({ queryKey: alarmKeys.kind(kind) });
    return {
      notices: new Debouncer(
        () => {
          ask('page');
          ask('outlook');
          ask('devices');
        },
        ...noticesDebounceMs,
      ),
      readings: new Debouncer(() => ask('outlook'), readingsDebounceMs, readingsDebounceMs),
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
