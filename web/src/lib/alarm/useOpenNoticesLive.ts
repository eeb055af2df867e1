import { useQueryClient } from '@tanstack/react-query';
import { useLive } from '@/lib/live/useLive';
import { applyNoticesToOpen, noticesIn } from './liveNotices';
import { type AlarmNoticePage, noticeKeys } from './notices';

/** Keeps what is open of a device with what the server tells; asks anew only where that does not say what the list holds then. */
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
    // What is on its way may have been answered before.
    if (reset || !next || client.isFetching({ queryKey }) > 0) void client.invalidateQueries({ queryKey });
  });
}
