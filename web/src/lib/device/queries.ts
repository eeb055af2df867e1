import { queryOptions } from '@tanstack/react-query';
import { Semaphore } from '@/lib/async/semaphore';
import { now } from '@/lib/format/clock';
import { api } from '@/lib/http/api';
import type { Language } from '@/lib/i18n/i18n';
import { hasNetwork } from '@/lib/offline/reachability';

/** Which devices a page is of: those of a group, whose name holds a text, in a state; all of these where several are given. */
export interface PageFilter {
  groupId?: number;
  deviceName?: string;
  onlineState?: 0 | 1;
  /** An alarm rule's id: only devices that a copy of it can be made for. */
  takesRule?: number;
}

/** A box of the map and its zoom; null asks for everything. */
export interface MapView {
  west: number;
  south: number;
  east: number;
  north: number;
  zoom: number;
}

export const pageSize = 100;
/** The most names that one call takes. */
export const maxNames = 400;
const dayMs = 24 * 3_600_000;
/** After a failure, until it works again. Otherwise nothing polls: the live stream tells. */
export const retryMs = 10_000;

/** The second word says what the data are, so that live events find them whatever the language. */
export const deviceKeys = {
  all: ['devices'] as const,
  derived: (deviceName: string, sign: string) => ['devices', 'derived', deviceName, sign] as const,
  kind: (kind: 'groups' | 'page' | 'device' | 'latest' | 'tsl' | 'model' | 'day' | 'map') => ['devices', kind] as const,
  groups: (language: Language, takesRule?: number) =>
    takesRule === undefined
      ? (['devices', 'groups', language] as const)
      : (['devices', 'groups', language, takesRule] as const),
  page: (language: Language, filter: PageFilter, pageNo: number) =>
    ['devices', 'page', language, filter, pageNo] as const,
  device: (language: Language, deviceName: string) => ['devices', 'device', language, deviceName] as const,
  latest: (language: Language, deviceName: string) => ['devices', 'latest', language, deviceName] as const,
  tsl: (language: Language, deviceName: string) => ['devices', 'tsl', language, deviceName] as const,
  named: (language: Language, deviceNames: readonly string[]) =>
    ['devices', 'page', language, { deviceNames }] as const,
  model: (language: Language, productId: number) => ['devices', 'model', language, productId] as const,
  day: (deviceName: string, sign: string, points: number) => ['devices', 'day', deviceName, sign, points] as const,
  map: (view: MapView | null) => ['devices', 'map', view] as const,
};

interface QueryWithStatus {
  state: { status: string };
}

/** The page has a note of the failure, keeps what it had, and asks again. */
export const bannerQueryOptions = {
  meta: { banner: true },
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  // Without a network there is nobody to ask; once there is one again everything is asked for anew.
  refetchInterval: (query: QueryWithStatus) =>
    (query.state.status === 'error' && hasNetwork() ? retryMs : false) as number | false,
};

/** `takesRule`: only with the devices that a copy of that alarm rule can be made for. */
export const groupsQuery = (language: Language, takesRule?: number) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: deviceKeys.groups(language, takesRule),
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/device/get-group-device-list', { query: { takesRule }, signal }),
  });

export const pageQuery = (language: Language, filter: PageFilter, pageNo: number) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: deviceKeys.page(language, filter, pageNo),
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/device/page', { query: { ...filter, pageNo, pageSize }, signal }),
  });

/** One device by its name; null when this tenant has none of that name. */
export const deviceQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: deviceKeys.device(language, deviceName),
    queryFn: async ({ signal }) => {
      const query = { deviceNames: [deviceName], pageSize: 1 };
      const { list } = await api.get('/admin-api/client/pc/device/deviceNames/get', { query, signal });
      return list[0] ?? null;
    },
  });

export const latestQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: deviceKeys.latest(language, deviceName),
    queryFn: ({ signal }) => api.get('/admin-api/device/data/all/data-last', { query: { deviceName }, signal }),
  });

export const tslQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: deviceKeys.tsl(language, deviceName),
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/tsl', { query: { deviceName }, signal }),
    staleTime: 5 * 60_000,
  });

/** The thing model of a product, asked for through one of its devices: a hundred cards of one product ask once. */
export const modelQuery = (language: Language, { productId, deviceName }: { productId: number; deviceName: string }) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: deviceKeys.model(language, productId),
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/tsl', { query: { deviceName }, signal }),
    staleTime: 5 * 60_000,
  });

/** How a derived property came by its newest value, or why it has none; asked for anew whenever somebody looks. */
export const derivedQuery = (deviceName: string, sign: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: deviceKeys.derived(deviceName, sign),
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/device/get/derived', { query: { deviceName, yeuSign: sign }, signal }),
  });

/** Some devices by their names, at most `mostNames` of them; what this farm does not have is left out. */
export const namedQuery = (language: Language, deviceNames: readonly string[]) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: deviceKeys.named(language, deviceNames),
    queryFn: ({ signal }) => {
      const query = { deviceNames: [...deviceNames], pageSize: maxNames };
      return api.get('/admin-api/client/pc/device/deviceNames/get', { query, signal });
    },
  });

/** Lines of a page full of cards leave room for the calls that somebody waits for. */
const dayQuerySlots = new Semaphore(4);

/** The last 24 hours of one property, thinned to what a small line can show; each low and high is kept. */
export const dayQuery = (deviceName: string, sign: string, points = 200) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: deviceKeys.day(deviceName, sign, points),
    queryFn: ({ signal }) =>
      dayQuerySlots.run(() => {
        const endTime = Math.ceil(now());
        const query = { deviceName, startTime: endTime - dayMs, endTime, yeuSignList: [sign], points };
        return api.get('/admin-api/client/pc/device/get/format-map/time-interval-data', { query, signal });
      }, signal),
    staleTime: 5 * 60_000,
  });

export const mapQuery = (view: MapView | null) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: deviceKeys.map(view),
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/map', { query: view ?? {}, signal }),
  });
