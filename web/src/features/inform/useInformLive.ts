import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { toldOf, withTold } from '@/lib/alarm/liveNotices';
import { type AlarmNoticePage, noticeKeys } from '@/lib/alarm/notices';
import { Debounce } from '@/lib/device/live/debounce';
import { useLive } from '@/lib/live/live';
import { belongs } from './belongs';
import { tellDetails } from './liveDetails';
import { noticesQuery } from './queries';
import type { InformSearch } from './search';

/** A notice is on the screen within the second; a burst of them is one question. */
const askMs = [150, 600] as const;
const none: ReadonlySet<number> = new Set();

/**
 * Keeps list and detail with what the server tells. What ended changes in its place. What began comes on top when the person is at
 * the top (`atTop`, asked at that moment); otherwise nothing moves, and it is counted until they go there.
 */
export function useInformLive(search: InformSearch, atTop: () => boolean) {
  const client = useQueryClient();
  const [waiting, setWaiting] = useState(none);
  const [asking] = useState(
    () => new Debounce(() => void client.invalidateQueries({ queryKey: noticeKeys.kind('page') }), ...askMs),
  );
  useEffect(() => () => asking.cancel(), [asking]);

  // Of another list other notices are new.
  const list = JSON.stringify(noticesQuery(search).queryKey);
  const counted = useRef(list);
  useEffect(() => {
    if (counted.current === list) return;
    counted.current = list;
    setWaiting(none);
  }, [list]);

  useLive((events) => {
    const { notices, reset } = toldOf(events);
    if (reset) {
      asking.request();
      void client.invalidateQueries({ queryKey: noticeKeys.kind('notice') });
      void client.invalidateQueries({ queryKey: noticeKeys.kind('properties') });
      void client.invalidateQueries({ queryKey: noticeKeys.kind('chart') });
    }
    if (notices.size === 0) return;
    tellDetails(client, notices.values());
    // What is on its way may have been answered before.
    if (client.isFetching({ queryKey: noticeKeys.kind('page') }) > 0) asking.request();
    for (const [key, page] of client.getQueriesData<AlarmNoticePage>({ queryKey: noticeKeys.kind('page') })) {
      const next = page && withTold(page, notices);
      if (next !== page) client.setQueryData(key, next);
    }
    const shown = client.getQueryData(noticesQuery(search).queryKey);
    const fresh = [...notices.values()].filter(
      (notice) =>
        notice.resolveStatus === 0 && belongs(notice, search) && !shown?.list.some(({ id }) => id === notice.id),
    );
    if (fresh.length === 0) return;
    if ((search.page ?? 1) === 1 && atTop()) asking.request();
    else setWaiting((before) => new Set([...before, ...fresh.map(({ id }) => id)]));
  });

  /** The person has gone to the top: the list is asked for anew. */
  const seen = useCallback(() => {
    setWaiting(none);
    void client.invalidateQueries({ queryKey: noticeKeys.kind('page') });
  }, [client]);
  return { waiting: waiting.size, seen };
}
