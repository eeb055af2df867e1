import { useQueryClient } from '@tanstack/react-query';
import { useLive } from '@/lib/live/useLive';
import { applyNoticesToOpen, noticesIn } from './liveNotices';
import { type AlarmNoticePage, noticeKeys } from './notices';

/**
 * Updates a device's open notices from live events; refetches only where the events do not tell the
 * new list.
 */
export function useOpenNoticesLive(deviceName: string): void {
  const client = useQueryClient();
  useLive((events) => {
    const { notices, reset } = noticesIn(events);
    const ownNotices = [...notices.values()].filter((notice) => notice.deviceName === deviceName);
    if (ownNotices.length === 0 && !reset) return;
    const queryKey = noticeKeys.open(deviceName);
    const before = client.getQueryData<AlarmNoticePage>(queryKey);
    const next = before ? applyNoticesToOpen(before, ownNotices) : null;
    if (next) client.setQueryData(queryKey, next);
    // An answer that is on its way may predate the event.
    if (reset || !next || client.isFetching({ queryKey }) > 0) void client.invalidateQueries({ queryKey });
  });
}
