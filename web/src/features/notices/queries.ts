import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { noticeKeys } from '@/lib/alarm/notices';
import { bannerQueryOptions } from '@/lib/device/queries';
import { ApiError, api } from '@/lib/http/api';
import { pageSizes } from '@/lib/http/paging';
import type { Language } from '@/lib/i18n/i18n';
import type { NoticesSearch } from './search';

type Schemas = components['schemas'];

export type AlarmDetail = Schemas['AlarmDetail'];
export type DeviceProperty = Schemas['DeviceProperty'];
export type Delivery = Schemas['Delivery'];

const path = '/admin-api/client/pc/alarm-notice';

/** A page of notices; they are a farm's own words, whatever the language. */
export const noticesQuery = ({ q, devices, status, level, page = 1, size = pageSizes[0] }: NoticesSearch) => {
  const query = {
    title: q,
    deviceNameStr: devices,
    resolveStatus: status,
    alarmLevel: level,
    pageNo: page,
    pageSize: size,
  };
  return queryOptions({
    ...bannerQueryOptions,
    queryKey: [...noticeKeys.kind('page'), query],
    queryFn: ({ signal }) => api.get(`${path}/page`, { query, signal }),
    placeholderData: keepPreviousData,
  });
};

/** One notice with everything that is known of it; null when there is none of that number. */
export const noticeQuery = (language: Language, id: number) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...noticeKeys.kind('notice'), id, language],
    queryFn: async ({ signal }): Promise<AlarmDetail | null> => {
      try {
        return await api.get(`${path}/get`, { query: { id }, signal });
      } catch (error) {
        if (error instanceof ApiError && error.code === 404 && error.kind === 'business') return null;
        throw error;
      }
    },
    // The live stream does not tell how deliveries go: who comes back to look at one that waits sees how it stands.
    refetchOnWindowFocus: ({ state: { data } }) => (data && isWaiting(data.deliveries) ? 'always' : false),
  });

/** A recovery value that would have kept an unsteady notice's rule from beginning so many; null: none is known. It never changes. */
export const adviceQuery = (id: number) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...noticeKeys.kind('advice'), id],
    queryFn: async ({ signal }) => (await api.get(`${path}/advice`, { query: { id }, signal })) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Whether anything of it is still to go out. */
export function isWaiting(deliveries: readonly Delivery[]): boolean {
  return deliveries.some(({ state }) => state === 'queued');
}

/** What a device measures, with the latest values. */
export const propertiesQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...noticeKeys.kind('properties'), deviceName, language],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/property', { query: { deviceName }, signal }),
  });

/** Something about notices has changed that the screen cannot work out by itself. */
export function refetchNotices(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: noticeKeys.all });
}
