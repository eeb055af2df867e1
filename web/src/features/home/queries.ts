import { queryOptions } from '@tanstack/react-query';
import { api } from '@/lib/api';
import { now } from '@/lib/format/clock';
import type { Language } from '@/lib/i18n';

/** Which devices a page is of: those of a group, or those whose name holds a text. */
export type PageFilter = { groupId: number } | { deviceName: string };

/** A box of the map and its zoom; null asks for everything. */
export interface MapView {
  west: number;
  south: number;
  east: number;
  north: number;
  zoom: number;
}

export const pageSize = 100;
const dayMs = 24 * 3_600_000;
/** After a failure, until it works again. Otherwise nothing polls: the live stream tells. */
export const retryMs = 10_000;

/** The second word says what the data are, so that live events find them whatever the language. */
export const homeKeys = {
  all: ['home'] as const,
  kind: (kind: 'groups' | 'page' | 'device' | 'latest' | 'tsl' | 'day' | 'map') => ['home', kind] as const,
  groups: (language: Language) => ['home', 'groups', language] as const,
  page: (language: Language, filter: PageFilter, pageNo: number) => ['home', 'page', language, filter, pageNo] as const,
  device: (language: Language, deviceName: string) => ['home', 'device', language, deviceName] as const,
  latest: (language: Language, deviceName: string) => ['home', 'latest', language, deviceName] as const,
  tsl: (language: Language, deviceName: string) => ['home', 'tsl', language, deviceName] as const,
  day: (deviceName: string, sign: string) => ['home', 'day', deviceName, sign] as const,
  map: (view: MapView | null) => ['home', 'map', view] as const,
};

interface Failing {
  state: { status: string };
}

/** The page shows failures itself, keeps what it had, and asks again. */
export const persistent = {
  meta: { showsErrors: true },
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  refetchInterval: (query: Failing) => (query.state.status === 'error' ? retryMs : false) as number | false,
};

export const groupsQuery = (language: Language) =>
  queryOptions({
    ...persistent,
    queryKey: homeKeys.groups(language),
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get-group-device-list', { signal }),
  });

export const pageQuery = (language: Language, filter: PageFilter, pageNo: number) =>
  queryOptions({
    ...persistent,
    queryKey: homeKeys.page(language, filter, pageNo),
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/device/page', { query: { ...filter, pageNo, pageSize }, signal }),
  });

/** One device by its name; null when this tenant has none of that name. */
export const deviceQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...persistent,
    queryKey: homeKeys.device(language, deviceName),
    queryFn: async ({ signal }) => {
      const query = { deviceNames: [deviceName], pageSize: 1 };
      const { list } = await api.get('/admin-api/client/pc/device/deviceNames/get', { query, signal });
      return list[0] ?? null;
    },
  });

export const latestQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...persistent,
    queryKey: homeKeys.latest(language, deviceName),
    queryFn: ({ signal }) => api.get('/admin-api/device/data/all/data-last', { query: { deviceName }, signal }),
  });

export const tslQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...persistent,
    queryKey: homeKeys.tsl(language, deviceName),
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/tsl', { query: { deviceName }, signal }),
    staleTime: 5 * 60_000,
  });

/** The last 24 hours of one property, thinned to what a small line can show; each low and high is kept. */
export const dayQuery = (deviceName: string, sign: string) =>
  queryOptions({
    ...persistent,
    queryKey: homeKeys.day(deviceName, sign),
    queryFn: ({ signal }) => {
      const endTime = Math.ceil(now());
      const query = { deviceName, startTime: endTime - dayMs, endTime, yeuSignList: [sign], points: 200 };
      return api.get('/admin-api/client/pc/device/get/format-map/time-interval-data', { query, signal });
    },
    staleTime: 5 * 60_000,
  });

export const mapQuery = (view: MapView | null) =>
  queryOptions({
    ...persistent,
    queryKey: homeKeys.map(view),
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/map', { query: view ?? {}, signal }),
  });
