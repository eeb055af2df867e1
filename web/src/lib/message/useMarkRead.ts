import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { type MessagePage, messageKeys, refetchMessages } from './queries';
import { notifyOtherTabs } from './readBroadcast';

const path = '/admin-api/client/pc/notify-message';

/** Shows messages as read at once; without `ids`, all of them. The server's answer follows. */
function showRead(client: QueryClient, ids?: readonly number[]): void {
  const unread = new Set<number>();
  for (const [key, page] of client.getQueriesData<MessagePage>({ queryKey: messageKeys.pages })) {
    const found = page?.list.filter(({ id, readStatus }) => !readStatus && (ids?.includes(id) ?? true)) ?? [];
    if (!page || found.length === 0) continue;
    for (const { id } of found) unread.add(id);
    const list = page.list.map((message) => (found.includes(message) ? { ...message, readStatus: true } : message));
    client.setQueryData<MessagePage>(key, { ...page, list });
  }
  client.setQueryData<number>(messageKeys.unread, (count) =>
    count === undefined ? count : ids ? Math.max(0, count - unread.size) : 0,
  );
}

/** The two ways in which a user marks messages as read. */
export function useMarkRead() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const shared = {
    meta: { failure: 'message.markFail' },
    onSuccess: notifyOtherTabs,
    onSettled: () => refetchMessages(client),
  } as const;
  // An answer to an earlier request would show the messages as unread again.
  const stopPages = () => client.cancelQueries({ queryKey: messageKeys.all });
  const some = useMutation({
    ...shared,
    mutationFn: (ids: readonly number[]) => api.put(`${path}/update-read`, { query: { ids: [...ids] } }),
    onMutate: async (ids) => {
      await stopPages();
      showRead(client, ids);
    },
  });
  const all = useMutation({
    ...shared,
    mutationFn: () => api.put(`${path}/update-all-read`),
    onMutate: async () => {
      await stopPages();
      showRead(client);
    },
  });
  const { mutate: read } = some;
  const { mutate: readAll } = all;
  return {
    /** Confirms with a toast. */
    markRead: useCallback(
      (ids: readonly number[]) => read(ids, { onSuccess: () => toast.success(t('message.markedRead')) }),
      [read, t],
    ),
    /** Marks a message as read whose link the user followed, without a toast. */
    markFollowed: useCallback((id: number) => read([id]), [read]),
    markAllRead: useCallback(
      () => readAll(undefined, { onSuccess: () => toast.success(t('message.markedRead')) }),
      [readAll, t],
    ),
    markingAll: all.isPending,
  };
}
