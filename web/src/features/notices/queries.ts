import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { noticeKeys } from '@/lib/alarm/notices';
import { bannerQueryOptions } from '@/lib/device/queries';
import { api } from '@/lib/http/api';
import { pageSizes } from '@/lib/http/paging';
import type { Language } from '@/lib/i18n/i18n';
import type { NoticesSearch } from './search';

export type { AlarmDetail } from '@/lib/alarm/notice';

type Schemas = components['schemas'];

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

/** A device's properties with their latest values. */
export const propertiesQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...noticeKeys.kind('properties'), deviceName, language],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/property', { query: { deviceName }, signal }),
  });
