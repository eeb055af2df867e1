import type { QueryClient } from '@tanstack/react-query';
import { applyNoticeToDetail } from '@/lib/alarm/liveNotices';
import { noticeKeys } from '@/lib/alarm/notices';
import type { LiveNotice } from '@/lib/alarm/types';
import { isPlanned } from './detail/recipients';
import type { AlarmDetail } from './queries';

/**
 * Shows in the details what was told of their notices. One is fetched anew only where there is more to know: why it ended, when the
 * next reminder goes out now that somebody is on it, or no longer is; and where an answer is on its way that may not have it yet.
 */
export function updateDetails(client: QueryClient, changedNotices: Iterable<LiveNotice>): void {
  for (const notice of changedNotices) {
    const queryKey = [...noticeKeys.kind('notice'), notice.id];
    let ask = client.isFetching({ queryKey }) > 0;
    for (const [key, detail] of client.getQueriesData<AlarmDetail | null>({ queryKey })) {
      const next = detail ? applyNoticeToDetail(detail, notice) : null;
      if (!detail || !next) ask = true;
      else client.setQueryData(key, next);
      if (detail && changesReminders(detail, notice)) ask = true;
    }
    if (ask) void client.invalidateQueries({ queryKey });
  }
}

function changesReminders({ alarmNotice, deliveries }: AlarmDetail, { ack }: LiveNotice): boolean {
  return ack?.time !== alarmNotice.ack?.time && deliveries.some(isPlanned);
}
