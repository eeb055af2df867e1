import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { bannerQueryOptions } from '@/lib/device/queries';
import { api } from '@/lib/http/api';

export type Video = components['schemas']['Video'];

/**
 * What a camera shows and where. The address of a snippet is good for a minute: it is used when it comes and not kept, so that whoever
 * comes back asks anew; and nothing asks behind the back of a picture that is there.
 */
export const videoQuery = (deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: ['video', deviceName],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/video', { query: { deviceName }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/** The same, asked for beforehand: whether a camera has a stream decides how large its card is. */
export const videoPrefetchQuery = (deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: ['video', deviceName, 'foresight'],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/video', { query: { deviceName }, signal }),
    staleTime: 5 * 60_000,
  });

/** The address of a snippet is good for twice as long. */
const freshMs = 30_000;

/** What was foreseen a moment ago need not be asked for again. */
export function prefetchedVideo(client: QueryClient, deviceName: string): Video | undefined {
  const state = client.getQueryState(videoPrefetchQuery(deviceName).queryKey);
  return state && Date.now() - state.dataUpdatedAt < freshMs ? state.data : undefined;
}
