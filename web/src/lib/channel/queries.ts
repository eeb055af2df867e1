import { keepPreviousData, type QueryClient, type QueryMeta, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { bannerQueryOptions } from '@/lib/device/queries';
import { ApiError, api } from '@/lib/http/api';
import type { ChannelKind } from './kinds';

type Schemas = components['schemas'];

export type Channel = Schemas['NoticeChannel'];
export type ChannelInput = Schemas['NoticeChannelCreate'];
export type AvailableKinds = Schemas['NoticeWays'];
export type TestOutcome = Schemas['NoticeOutcome'];

/** Which channels a list shows. */
export interface ChannelFilter {
  noticeName?: string;
  noticeMode?: ChannelKind;
  pageNo: number;
  pageSize: number;
}

const path = '/admin-api/client/pc/notice-channel';
const channelsKey = ['notice-channels'] as const;
const maxRows = 400;
/** Channels list the rules that use them. */
const meta = { banner: true, refetchOn: ['channel', 'rule', 'reset'] } satisfies QueryMeta;

/**
 * Channels change on other pages too, for example when rules begin to use them: cached data is
 * shown and refetched.
 */
const fresh = { ...bannerQueryOptions, staleTime: 0 };

export const channelPageQuery = (filter: ChannelFilter) =>
  queryOptions({
    ...fresh,
    meta,
    queryKey: [...channelsKey, 'page', filter],
    queryFn: ({ signal }) => api.get(`${path}/page`, { query: { ...filter }, signal }),
    placeholderData: keepPreviousData,
  });

/** One channel as it is now; null when it no longer exists. */
export const channelQuery = (id: number) =>
  queryOptions({
    ...fresh,
    queryKey: [...channelsKey, 'channel', id],
    queryFn: async ({ signal }): Promise<Channel | null> => {
      try {
        return await api.get(`${path}/get`, { query: { id }, signal });
      } catch (error) {
        if (error instanceof ApiError && error.code === 404 && error.kind === 'business') return null;
        throw error;
      }
    },
    // A form starts from current data, not from the cache, and no change of others replaces what was typed since.
    gcTime: 0,
  });

/** Every channel by its id, for callers that have only ids. */
export const channelsByIdQuery = () =>
  queryOptions({
    ...bannerQueryOptions,
    meta,
    queryKey: [...channelsKey, 'all'],
    queryFn: async ({ signal }) => {
      const found = new Map<number, Channel>();
      for (let pageNo = 1; ; pageNo++) {
        const query = { pageNo, pageSize: maxRows };
        const { list, total } = await api.get(`${path}/page`, { query, signal });
        for (const channel of list) found.set(channel.id, channel);
        // Stops at a short page too: a list that shrinks meanwhile would otherwise be fetched
        // forever.
        if (list.length < maxRows || found.size >= total) return found;
      }
    },
  });

/**
 * Which channel kinds are set up on this server. If the call fails, the screens say nothing about
 * it.
 */
export const availableKindsQuery = () =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...channelsKey, 'ways'],
    queryFn: ({ signal }) => api.get(`${path}/get/ways`, { signal }),
    staleTime: 5 * 60_000,
  });

/** After a channel changed. */
export function refetchChannels(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: channelsKey });
}
