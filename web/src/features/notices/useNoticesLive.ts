import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { applyNotices, noticesIn } from '@/lib/alarm/liveNotices';
import { type AlarmNoticePage, noticeKeys } from '@/lib/alarm/notices';
import { Debouncer } from '@/lib/async/debouncer';
import { useLive } from '@/lib/live/useLive';
import { updateDetails } from './liveDetails';
import { matchesFilter } from './matchesFilter';
import { noticesQuery } from './queries';
import type { NoticesSearch } from './search';

/** A new notice appears within a second; a burst of notices causes one refetch. */
const refetchDebounceMs = [150, 600] as const;
const noNewNotices: ReadonlySet<number> = new Set();

/**
 * Keeps list and detail current with the live stream. A notice that ends is updated in place. A new
 * notice is put on top if the user is at the top (`atTop` is called at that moment); otherwise the
 * list does not move, and new notices are counted until the user goes to the top.
 */
export function useNoticesLive(search: NoticesSearch, atTop: () => boolean) {
  const client = useQueryClient();
  const [waiting, setWaiting] = useState(noNewNotices);
  const [refetchSoon] = useState(
    () =>
      new Debouncer(() => void client.invalidateQueries({ queryKey: noticeKeys.kind('page') }), ...refetchDebounceMs),
  );
  useEffect(() => () => refetchSoon.cancel(), [refetchSoon]);

  // A different list has different new notices.
  const list = JSON.stringify(noticesQuery(search).queryKey);
  const countedList = useRef(list);
  useEffect(() => {
    if (countedList.current === list) return;
    countedList.current = list;
    setWaiting(noNewNotices);
  }, [list]);

  useLive((events) => {
    const { notices, reset } = noticesIn(events);
    if (reset) {
      refetchSoon.request();
      void client.invalidateQueries({ queryKey: noticeKeys.kind('notice') });
      void client.invalidateQueries({ queryKey: noticeKeys.kind('properties') });
      void client.invalidateQueries({ queryKey: noticeKeys.kind('chart') });
    }
    if (notices.size === 0) return;
    updateDetails(client, notices.values());
    // An answer that is on its way may predate the event.
    if (client.isFetching({ queryKey: noticeKeys.kind('page') }) > 0) refetchSoon.request();
    for (const [key, page] of client.getQueriesData<AlarmNoticePage>({ queryKey: noticeKeys.kind('page') })) {
      const next = page && applyNotices(page, notices);
      if (next !== page) client.setQueryData(key, next);
    }
    const shown = client.getQueryData(noticesQuery(search).queryKey);
    const fresh = [...notices.values()].filter(
      (notice) =>
        notice.resolveStatus === 0 && matchesFilter(notice, search) && !shown?.list.some(({ id }) => id === notice.id),
    );
    if (fresh.length === 0) return;
    if ((search.page ?? 1) === 1 && atTop()) refetchSoon.request();
    else setWaiting((before) => new Set([...before, ...fresh.map(({ id }) => id)]));
  });

  /** The user has gone to the top, so the list is refetched. */
  const seen = useCallback(() => {
    setWaiting(noNewNotices);
    void client.invalidateQueries({ queryKey: noticeKeys.kind('page') });
  }, [client]);
  return { waiting: waiting.size, seen };
}
