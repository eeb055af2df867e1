import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useClock } from '@/lib/format/clock';
import { useLive } from '@/lib/live/live';
import { type AlarmDetail, noticeKeys } from '../queries';
import { nextLook } from './told';

function noticeOf(data: unknown): number | undefined {
  const { noticeId } = (typeof data === 'object' && data !== null ? data : {}) as { noticeId?: unknown };
  return typeof noticeId === 'number' ? noticeId : undefined;
}

/**
 * Keeps who was told with what the server does: asks anew when the stream tells of a message of this notice, and after each time that the
 * server itself named for its next try. `asOf`: when the detail was asked for, by the server's clock.
 */
export function useToldLive({ alarmNotice: { id }, deliveries }: AlarmDetail, asOf: number): void {
  const client = useQueryClient();
  useLive((events) => {
    if (events.some((event) => event.name === 'message' && noticeOf(event.data) === id)) {
      void client.invalidateQueries({ queryKey: [...noticeKeys.kind('notice'), id] });
    }
  });
  // Of the times that are past already only the server knows; what comes is looked for when it has come.
  const look = nextLook(deliveries, asOf);
  const due = useClock((now) => (look !== null && now >= look ? look : 0));
  useEffect(() => {
    if (due > 0) void client.invalidateQueries({ queryKey: [...noticeKeys.kind('notice'), id] });
  }, [client, due, id]);
}
