import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { bannerQueryOptions } from '@/lib/device/queries';
import { api } from '@/lib/http/api';

export type Video = components['schemas']['Video'];

/**
 * What a camera shows, and its address. A snippet's address is valid for a minute: it is used at
 * once and not cached, so each visit fetches a new one. Nothing refetches while a picture is shown.
 */
export const videoQuery = (deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: ['video', deviceName],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/video', { query: { deviceName }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** The same query, prefetched: whether a camera has a stream determines the size of its card. */
export const videoPrefetchQuery = (deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: ['video', deviceName, 'foresight'],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/video', { query: { deviceName }, signal }),
    staleTime: 5 * 60_000,
  });

/** Half of the time for which a snippet's address is valid. */
const freshMs = 30_000;

/** A prefetched answer that is fresh enough to be used. */
export function prefetchedVideo(client: QueryClient, deviceName: string): Video | undefined {
  const state = client.getQueryState(videoPrefetchQuery(deviceName).queryKey);
  return state && Date.now() - state.dataUpdatedAt < freshMs ? state.data : undefined;
}
