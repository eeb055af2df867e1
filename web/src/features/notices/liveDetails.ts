import type { QueryClient } from '@tanstack/react-query';
import { applyNoticeToDetail } from '@/lib/alarm/liveNotices';
import { noticeKeys } from '@/lib/alarm/notices';
import type { LiveNotice } from '@/lib/alarm/types';
import { isPlanned } from './detail/recipients';
import type { AlarmDetail } from './queries';

/**
 * Applies live notices to the cached details. A detail is refetched only if the event does not
 * contain everything: the reason of an end, or the next reminder's time after an acknowledgement
 * was made or taken back. It is also refetched if an answer that may lack the event is on its way.
 */
export function updateDetails(client: QueryClient, changedNotices: Iterable<LiveNotice>): void {
  for (const notice of changedNotices) {
    const queryKey = [...noticeKeys.kind('notice'), notice.id];
    let needsRefetch = client.isFetching({ queryKey }) > 0;
    for (const [key, detail] of client.getQueriesData<AlarmDetail | null>({ queryKey })) {
      const next = detail ? applyNoticeToDetail(detail, notice) : null;
      if (!detail || !next) needsRefetch = true;
      else client.setQueryData(key, next);
      if (detail && changesReminders(detail, notice)) needsRefetch = true;
    }
    if (needsRefetch) void client.invalidateQueries({ queryKey });
  }
}

function changesReminders({ alarmNotice, deliveries = [] }: AlarmDetail, { ack }: LiveNotice): boolean {
  return ack?.time !== alarmNotice.ack?.time && deliveries.some(isPlanned);
}
