import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { bannerQueryOptions } from '@/lib/device/queries';
import { api } from '@/lib/http/api';
import type { Language } from '@/lib/i18n/i18n';

type Schemas = components['schemas'];

export type Message = Schemas['NotifyMessage'];
export type MessagePage = Schemas['NotifyMessagePage'];

/** How many messages the bell shows. */
export const recentCount = 5;

/** Includes the count of unread messages (`unreadCountQuery`). */
export const messageKeys = {
  all: ['messages'] as const,
  unread: ['messages', 'unread'] as const,
  pages: ['messages', 'page'] as const,
};

/** A page of messages, newest first; the server writes them in the user's language. */
export const messagesQuery = (language: Language, pageNo: number, pageSize: number) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...messageKeys.pages, language, { pageNo, pageSize }],
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/notify-message/my-page', { query: { pageNo, pageSize }, signal }),
    placeholderData: keepPreviousData,
  });

export const recentQuery = (language: Language) => messagesQuery(language, 1, recentCount);

/** Refetches all messages after a change that the screen cannot work out by itself. */
export function refetchMessages(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: messageKeys.all });
}
