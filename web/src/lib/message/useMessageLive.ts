import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { components } from '@/api/schema.gen';
import { toldOf } from '@/lib/alarm/liveNotices';
import type { LiveNotice } from '@/lib/alarm/types';
import { Debounce } from '@/lib/device/live/debounce';
import { changedOf } from '@/lib/live/event';
import { type LiveEvent, useLive } from '@/lib/live/live';
import { useSession } from '@/lib/session';
import { type Message, type MessagePage, messageKeys, refetchMessages } from './queries';
import { joinTabs } from './tabs';

type LiveMessage = components['schemas']['LiveMessage'];

/** The bell counts within the second; a burst of messages is one question. */
const askMs = [150, 600] as const;

/** The serious alarms that began, as the stream told them. */
export function seriousOf(events: readonly LiveEvent[]): number[] {
  const told = events.flatMap((event) =>
    event.name === 'message' ? [(event.data ?? {}) as Partial<LiveMessage>] : [],
  );
  return told.flatMap(({ id, event, alarmLevel }) =>
    id !== undefined && event === 'triggered' && alarmLevel === 2 ? [id] : [],
  );
}

/** The messages with who is on their notices now; the same ones when that changes none. */
export function withAcks(messages: Message[], told: ReadonlyMap<number, LiveNotice>): Message[] {
  if (!messages.some(({ noticeId }) => noticeId !== undefined && told.has(noticeId))) return messages;
  return messages.map((message) => {
    const notice = message.noticeId === undefined ? undefined : told.get(message.noticeId);
    return notice ? { ...message, ack: notice.resolveStatus === 0 ? notice.ack : undefined } : message;
  });
}

function showAcks(client: QueryClient, told: ReadonlyMap<number, LiveNotice>): void {
  if (told.size === 0) return;
  client.setQueriesData<MessagePage>({ queryKey: messageKeys.pages }, (page) => {
    if (!page) return page;
    const list = withAcks(page.list, told);
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
  const [asking] = useState(() => new Debounce(() => void refetchMessages(client), ...askMs));
  useEffect(() => () => asking.cancel(), [asking]);
  useEffect(() => (user === undefined ? undefined : joinTabs(user, () => asking.request())), [user, asking]);
  useLive((events) => {
    const { notices } = toldOf(events);
    showAcks(client, notices);
    // What is on its way may have been answered before.
    if (notices.size > 0 && client.isFetching({ queryKey: messageKeys.pages }) > 0) asking.request();
    const comes = events.some(({ name }) => name === 'message' || name === 'reset');
    if (comes || changedOf(events).has('message')) asking.request();
    const serious = seriousOf(events);
    if (serious.length > 0) onSerious(serious);
  });
}
