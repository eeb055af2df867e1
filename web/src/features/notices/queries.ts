import { keepPreviousData, queryOptions } from '@tanstack/react-query';
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

/** A page of notices. Its texts come from the tenant and do not depend on the language. */
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

/** One notice with all its details; null if there is none with that id. */
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
    // The live stream does not report the progress of deliveries, so a notice with waiting
    // deliveries is refetched when the window regains the focus.
    refetchOnWindowFocus: ({ state: { data } }) => (data && isWaiting(data.deliveries) ? 'always' : false),
  });

/**
 * A recovery value with which an unsteady notice's rule would have opened far fewer notices; null
 * if none is known. It never changes.
 */
export const adviceQuery = (id: number) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...noticeKeys.kind('advice'), id],
    queryFn: async ({ signal }) => (await api.get(`${path}/advice`, { query: { id }, signal })) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Whether any delivery is still to be sent. */
export function isWaiting(deliveries: readonly Delivery[]): boolean {
  return deliveries.some(({ state }) => state === 'queued');
}

/** A device's properties with their latest values. */
export const propertiesQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...noticeKeys.kind('properties'), deviceName, language],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/property', { query: { deviceName }, signal }),
  });
