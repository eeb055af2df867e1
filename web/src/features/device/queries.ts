import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { bannerQueryOptions, deviceKeys, deviceQueryOptions } from '@/lib/device/queries';
import { sceneKey, sceneMeta } from '@/lib/device/scenes';
import { now } from '@/lib/format/clock';
import { midnight } from '@/lib/format/date';
import { api } from '@/lib/http/api';
import { pageSizes } from '@/lib/http/paging';
import type { Language } from '@/lib/i18n/i18n';
import type { DeviceSearch } from './search';

type Schemas = components['schemas'];
export type Connection = Schemas['Connection'];
export type Diagnostics = Schemas['Diagnostics'];
export type CoverageDay = Schemas['CoverageDay'];
export type PresenceChange = Schemas['PresenceChange'];
export type DeviceOffer = Schemas['DeviceOffer'];
export type FirstReading = Schemas['FirstReading'];
export type DeviceHint = Schemas['DeviceHint'];
export type DeviceEvent = Schemas['DeviceEvent'];

/**
 * Key of presence, intake and similar queries of one device. Live events do not update their data;
 * some events cause a refetch.
 */
export const detailKey = ['device-detail'] as const;

const onlineStates = { online: 1, offline: 0 } as const;

/**
 * The rows of the table. Their key is among the pages of devices, so that live events find them.
 */
export const tableQuery = (language: Language, search: DeviceSearch) => {
  const { q, scene, product, state, sort, descending, page = 1, size = pageSizes[0] } = search;
  const query = {
    deviceName: q,
    groupId: scene,
    productId: product,
    onlineState: state && onlineStates[state],
    sort,
    descending,
    pageNo: page,
    pageSize: size,
  };
  return queryOptions({
    ...deviceQueryOptions,
    // The filter is at the same place of the key as in pageQuery, so that devices that go online or
    // offline move between the lists of a state.
    queryKey: [...deviceKeys.kind('page'), language, query, 'table'],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/page', { query, signal }),
    placeholderData: keepPreviousData,
  });
};

/** The scenes whose names contain a text, a hundred at a time. */
export const sceneListQuery = (groupName: string) =>
  infiniteQueryOptions({
    ...bannerQueryOptions,
    meta: sceneMeta,
    queryKey: [...sceneKey, 'list', groupName],
    queryFn: ({ pageParam, signal }) =>
      api.get('/admin-api/client/pc/group/page', {
        query: { groupName: groupName || undefined, pageNo: pageParam, pageSize: 100 },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ total }, pages) => (pages.length * 100 < total ? pages.length + 1 : undefined),
    placeholderData: keepPreviousData,
  });

export const connectionQuery = (deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...detailKey, 'connection', deviceName],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/connection', { query: { deviceName }, signal }),
  });

const diagnosticsRefetchMs = 30_000;

/**
 * What arrived and what was refused. The live stream does not report refusals, so the query is
 * refetched while it is shown.
 */
export const diagnosticsQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...detailKey, 'diagnostics', deviceName, language],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/diagnostics', { query: { deviceName }, signal }),
    refetchInterval: (query) =>
      query.state.status === 'error' ? bannerQueryOptions.refetchInterval(query) : diagnosticsRefetchMs,
  });

const changesPerPage = 10;

/** The presence changes of the device, newest first. */
export const presenceQuery = (deviceName: string) =>
  infiniteQueryOptions({
    ...bannerQueryOptions,
    queryKey: [...detailKey, 'presence', deviceName],
    queryFn: ({ pageParam, signal }) =>
      api.get('/admin-api/client/pc/device/get/presence', {
        query: { deviceName, pageNo: pageParam, pageSize: changesPerPage },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ total }, pages) => (pages.length * changesPerPage < total ? pages.length + 1 : undefined),
  });

/** The days that the coverage shows, including today: the default of the server's `--retention`. */
export const coveredDays = 400;

/** The days on which the device has readings. */
export const coverageQuery = (deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...detailKey, 'coverage', deviceName],
    queryFn: ({ signal }) => {
      const endTime = Math.ceil(now());
      // If the clocks were put back in that period, these days are an hour longer than the server's
      // limit.
      const startTime = Math.max(midnight(endTime, 1 - coveredDays), endTime - coveredDays * 86_400_000);
      const query = { deviceName, startTime, endTime };
      return api.get('/admin-api/client/pc/device/get/coverage', { query, signal });
    },
    staleTime: 5 * 60_000,
  });

/** What the provider lets the tenant add. */
export const offerQuery = (language: Language) =>
  queryOptions({
    ...bannerQueryOptions,
    // Who is no owner any more is told so by the page as soon as the role is fetched.
    meta: { ...deviceQueryOptions.meta, shows: [403] },
    queryKey: [...deviceKeys.kind('offer'), language],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/offer', { signal }),
  });

/** Swaps of the device and corrections of its readings, newest first. */
export const eventsQuery = (deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...detailKey, 'events', deviceName],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/events', { query: { deviceName }, signal }),
  });

/** Whether a new device has reported, and what went wrong; the live stream tells what follows. */
export const firstReadingQuery = (deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...detailKey, 'first-reading', deviceName],
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/device/get/first-reading', { query: { deviceName }, signal }),
    // An answer of earlier would lack what was heard since.
    staleTime: 0,
    gcTime: 0,
  });
