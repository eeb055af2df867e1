import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { noticeKeys } from '@/lib/alarm/notices';
import { Debouncer } from '@/lib/async/debouncer';
import { useLive } from '@/lib/live/useLive';
import type { AlarmDetail } from '../queries';

/**
 * A user who is about to act sees the newest values soon; a burst of readings causes one refetch.
 */
const refetchDebounceMs = [150, 2000] as const;

/**
 * While the user looks at whether a notice's conditions still hold: refetches at once, and whenever
 * its device sends readings or changes its presence.
 */
export function useFreshReadings({ alarmNotice, alarmDeviceInfoRespDTO }: AlarmDetail, looked: boolean): void {
  const client = useQueryClient();
  const { id, resolveStatus } = alarmNotice;
  const { deviceName } = alarmDeviceInfoRespDTO;
  const wanted = looked && resolveStatus === 0;
  const [refetchSoon] = useState(
    () =>
      new Debouncer(
        () => void client.invalidateQueries({ queryKey: [...noticeKeys.kind('notice'), id] }),
        ...refetchDebounceMs,
      ),
  );
  useEffect(() => {
    if (!wanted) return;
    void client.invalidateQueries({ queryKey: [...noticeKeys.kind('notice'), id] });
    return () => refetchSoon.cancel();
  }, [wanted, id, client, refetchSoon]);
  useLive((events) => {
    if (!wanted) return;
    const comes = events.some(
      (event) => (event.name === 'reading' || event.name === 'presence') && event.data.deviceName === deviceName,
    );
    if (comes) refetchSoon.request();
  });
}
