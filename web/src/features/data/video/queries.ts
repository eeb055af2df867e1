import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { api } from '@/lib/api';
import { persistent } from '@/lib/device/queries';

export type Video = components['schemas']['Video'];

/**
 * What a camera shows and where. The address of a snippet is good for a minute: it is used when it comes and not kept, so that whoever
 * comes back asks anew; and nothing asks behind the back of a picture that is there.
 */
export const videoQuery = (deviceName: string) =>
  queryOptions({
    ...persistent,
    queryKey: ['video', deviceName],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/video', { query: { deviceName }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
