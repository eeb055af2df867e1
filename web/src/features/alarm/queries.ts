import { keepPreviousData, type QueryClient, type QueryMeta, queryOptions } from '@tanstack/react-query';
import type { Targets } from '@/lib/alarm/targets';
import type { AlarmRule } from '@/lib/alarm/types';
import { Semaphore } from '@/lib/async/semaphore';
import { bannerQueryOptions, deviceKeys, pageSize as devicePageSize, deviceQueryOptions } from '@/lib/device/queries';
import { api } from '@/lib/http/api';
import { pageSizes } from '@/lib/http/paging';
import type { Language } from '@/lib/i18n/i18n';
import type { AlarmSearch } from './search';

const path = '/admin-api/client/pc/alarm-rules';

export const alarmKeys = {
  all: ['alarm-rules'] as const,
  kind: (kind: 'page' | 'rule' | 'outlook' | 'attributes' | 'devices') => ['alarm-rules', kind] as const,
};

/** Rules name their devices and channels, and end with the devices. */
const listMeta = { banner: true, refetchOn: ['rule', 'channel', 'device'] } satisfies QueryMeta;

/** A page of rules. Its texts come from the tenant and do not depend on the language. */
export const rulesQuery = ({ q, devices, page = 1, size = pageSizes[0] }: AlarmSearch) => {
  const query = { alarmName: q, executionId: devices, pageNo: page, pageSize: size };
  return queryOptions({
    ...bannerQueryOptions,
    meta: listMeta,
    queryKey: [...alarmKeys.kind('page'), query],
    queryFn: ({ signal }) => api.get(`${path}/page`, { query, signal }),
    placeholderData: keepPreviousData,
  });
};

/** One rule as it is now; null if it no longer exists. */
export const ruleQuery = (id: number) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...alarmKeys.kind('rule'), id],
    queryFn: ({ signal }) => api.find(`${path}/get`, { query: { id }, signal }),
    // A form must begin with the current rule, never with a cached one; no change of others replaces what was typed
    // since.
    staleTime: 0,
    gcTime: 0,
  });

/** The devices of a rule, one page at a time. */
export const ruleDevicesQuery = (language: Language, id: number, pageNo: number, pageSize: number) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...alarmKeys.kind('devices'), language, id, pageNo, pageSize],
    queryFn: ({ signal }) => api.get(`${path}/get/devices`, { query: { id, pageNo, pageSize }, signal }),
    placeholderData: keepPreviousData,
    // A cached answer would show alarms as open that may have ended.
    gcTime: 0,
  });

/** How close rules are to triggering. If the query fails, the rows show nothing about it. */
export const outlookQuery = (ids: readonly number[]) =>
  queryOptions({
    ...bannerQueryOptions,
    meta: listMeta,
    queryKey: [...alarmKeys.kind('outlook'), ids],
    queryFn: ({ signal }) => api.get(`${path}/get/outlook`, { query: { ids: [...ids] }, signal }),
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
  });

const oneAtATime = new Semaphore(1);

/** How often a rule would have alarmed in the last 30 days; a changed rule is rehearsed anew, another not within an hour. */
export const rehearsedQuery = ({ id, updateTime }: Pick<AlarmRule, 'id' | 'updateTime'>) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: ['alarm-rehearsed', id, updateTime],
    queryFn: ({ signal }) => oneAtATime.run(() => api.get(`${path}/get/rehearsed`, { query: { id }, signal }), signal),
    staleTime: 3_600_000,
    gcTime: 3_600_000,
  });

/** Names and units of attributes, in the user's language. */
export const elementsQuery = (language: Language, signs: readonly string[]) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: ['elements', language, signs],
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/element/get-map/yeu-sign', { query: { yeuSigns: [...signs] }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 5 * 60_000,
    enabled: signs.length > 0,
  });

/** The properties of a device's model, in the user's language. */
export const devicePropertiesQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    meta: { banner: true, refetchOn: ['device'] },
    queryKey: ['device-properties', deviceName, language],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/property', { query: { deviceName }, signal }),
    staleTime: 5 * 60_000,
  });

/**
 * How many devices a rule's targets cover, and the attributes of their models, in the user's
 * language.
 */
export const targetAttributesQuery = (language: Language, { devices, groups, products }: Targets) => {
  const some = <T>(list: readonly T[]) => (list.length > 0 ? [...list] : undefined);
  const query = { devices: some(devices), groups: some(groups), products: some(products) };
  return queryOptions({
    ...bannerQueryOptions,
    queryKey: [...alarmKeys.kind('attributes'), language, query],
    queryFn: ({ signal }) => api.get(`${path}/get/attributes`, { query, signal }),
    // The conditions stay visible while the answer for a changed list of targets loads.
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
};

/**
 * The devices that a form offers: the first hundred, or the first hundred whose names contain a
 * text.
 */
export const offeredDevicesQuery = (language: Language, deviceName: string) => {
  const filter = deviceName === '' ? {} : { deviceName };
  return queryOptions({
    ...deviceQueryOptions,
    queryKey: deviceKeys.page(language, filter, 1),
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/device/page', {
        query: { ...filter, pageNo: 1, pageSize: devicePageSize },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
};

/**
 * Refetches the rules after a change. If an open notice ended by the change, the live stream
 * informs the other pages.
 */
export function refetchRules(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: alarmKeys.all });
}
