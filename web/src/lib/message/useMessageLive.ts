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

/** The bell counts within the second; a burst of messages is one question. */
const refetchDebounceMs = [150, 600] as const;

/** The serious alarms that began, as the stream told them. */
export function seriousAlarmsIn(events: readonly LiveEvent[]): number[] {
  const noticesById = events.flatMap((event) =>
    event.name === 'message' ? [(event.data ?? {}) as Partial<LiveMessage>] : [],
  );
  return noticesById.flatMap(({ id, event, alarmLevel }) =>
    id !== undefined && event === 'triggered' && alarmLevel === 2 ? [id] : [],
  );
}

/** The messages with who is on their notices now; the same ones when that changes none. */
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
 * Keeps bell, menu and message page with what the server tells, what the person reads elsewhere among it. `onSerious` is told of
 * serious alarms that began, once what was asked because of them has come.
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
    // What is on its way may have been answered before.
    if (notices.size > 0 && client.isFetching({ queryKey: messageKeys.pages }) > 0) refetch.request();
    const comes = events.some(({ name }) => name === 'message' || name === 'reset');
    if (comes || changedKinds(events).has('message')) refetch.request();
    const serious = seriousAlarmsIn(events);
    if (serious.length > 0) onSerious(serious);
  });
}
