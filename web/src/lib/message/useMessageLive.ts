import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { components } from '@/api/schema.gen';
import { noticesIn } from '@/lib/alarm/liveNotices';
import type { LiveNotice } from '@/lib/alarm/types';
import { Debouncer } from '@/lib/async/debouncer';
import { changedKinds } from '@/lib/live/event';
import { type LiveEvent, useLive } from '@/lib/live/useLive';
import { useSession } from '@/lib/session/session';
import { type Message, type MessagePage, messageKeys, refetchMessages } from './queries';
import { listenToOtherTabs } from './readBroadcast';

type LiveMessage = components['schemas']['LiveMessage'];

/** The bell is current within a second; a burst of messages causes one request. */
const refetchDebounceMs = [150, 600] as const;

/** The serious alarms that began according to the events. */
export function seriousAlarmsIn(events: readonly LiveEvent[]): number[] {
  const noticesById = events.flatMap((event) =>
    event.name === 'message' ? [(event.data ?? {}) as Partial<LiveMessage>] : [],
  );
  return noticesById.flatMap(({ id, event, alarmLevel }) =>
    id !== undefined && event === 'triggered' && alarmLevel === 2 ? [id] : [],
  );
}

/** Applies acknowledgements to the messages; returns the same ones when nothing changes. */
export function applyAcks(messages: Message[], noticesById: ReadonlyMap<number, LiveNotice>): Message[] {
  if (!messages.some(({ noticeId }) => noticeId !== undefined && noticesById.has(noticeId))) return messages;
  return messages.map((message) => {
    const notice = message.noticeId === undefined ? undefined : noticesById.get(message.noticeId);
    return notice ? { ...message, ack: notice.resolveStatus === 0 ? notice.ack : undefined } : message;
  });
}

function showAcks(client: QueryClient, noticesById: ReadonlyMap<number, LiveNotice>): void {
  if (noticesById.size === 0) return;
  client.setQueriesData<MessagePage>({ queryKey: messageKeys.pages }, (page) => {
    if (!page) return page;
    const list = applyAcks(page.list, noticesById);
    return list === page.list ? page : { ...page, list };
  });
}

/**
 * Updates the bell, the menu and the message page from live events, including messages that the
 * user reads elsewhere. Calls `onSerious` with serious alarms that began, after the refetch that
 * they caused.
 */
export function useMessageLive(onSerious: (ids: readonly number[]) => void): void {
  const client = useQueryClient();
  const user = useSession((state) => state.session?.userId);
  const [refetch] = useState(() => new Debouncer(() => void refetchMessages(client), ...refetchDebounceMs));
  useEffect(() => () => refetch.cancel(), [refetch]);
  useEffect(() => (user === undefined ? undefined : listenToOtherTabs(user, () => refetch.request())), [user, refetch]);
  useLive((events) => {
    const { notices } = noticesIn(events);
    showAcks(client, notices);
    // An answer that is on its way may predate the event.
    if (notices.size > 0 && client.isFetching({ queryKey: messageKeys.pages }) > 0) refetch.request();
    const comes = events.some(({ name }) => name === 'message' || name === 'reset');
    if (comes || changedKinds(events).has('message')) refetch.request();
    const serious = seriousAlarmsIn(events);
    if (serious.length > 0) onSerious(serious);
  });
}
