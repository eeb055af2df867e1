import { type QueryMeta, queryOptions } from '@tanstack/react-query';
import { api } from '@/lib/http/api';
import type { Language } from '@/lib/i18n/i18n';
import { hasNetwork } from '@/lib/offline/reachability';

/**
 * The filter of a page of devices: the group, a text in the name, the state. All given fields must
 * match.
 */
export interface PageFilter {
  groupId?: number;
  deviceName?: string;
  /** Order by the latest value of this property, instead of by name. */
  sortSign?: string;
  descending?: boolean;
  onlineState?: 0 | 1;
  /** An alarm rule's id: only devices to which the rule can be copied. */
  takesRule?: number;
}

/** A bounding box of the map and its zoom; null requests everything. */
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
/** The retry interval after a failure. Otherwise nothing polls: the live stream brings changes. */
export const retryMs = 10_000;

/**
 * The second word names the kind of data, so that live events find the queries in every language.
 */
export const deviceKeys = {
  all: ['devices'] as const,
  derived: (deviceName: string, sign: string) => ['devices', 'derived', deviceName, sign] as const,
  kind: (kind: 'groups' | 'page' | 'device' | 'latest' | 'tsl' | 'model' | 'day' | 'dayLines' | 'map' | 'offer') =>
    ['devices', kind] as const,
  groups: (language: Language, takesRule?: number, deviceName?: string) =>
    deviceName
      ? (['devices', 'groups', language, { deviceName }] as const)
      : takesRule === undefined
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
  dayLines: (deviceNames: readonly string[], signs: readonly string[]) =>
    ['devices', 'dayLines', deviceNames, signs] as const,
  map: (view: MapView | null, sign?: string) =>
    sign === undefined ? (['devices', 'map', view] as const) : (['devices', 'map', view, sign] as const),
};

interface QueryWithStatus {
  state: { status: string };
}

/** The page shows a banner for the failure, keeps the data that it has, and retries. */
export const bannerQueryOptions = {
  meta: { banner: true },
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  // Without a network no retry can succeed; when the network is back everything is refetched.
  refetchInterval: (query: QueryWithStatus) =>
    (query.state.status === 'error' && hasNetwork() ? retryMs : false) as number | false,
};

/** Of queries that hold devices: they name the scenes, too. */
export const deviceQueryOptions = {
  ...bannerQueryOptions,
  meta: { banner: true, refetchOn: ['device', 'scene'] } satisfies QueryMeta,
};

/**
 * `takesRule`: only devices to which that alarm rule can be copied. `deviceName`: only devices whose
 * names or serial contain it.
 */
export const groupsQuery = (language: Language, takesRule?: number, deviceName?: string) =>
  queryOptions({
    ...deviceQueryOptions,
    queryKey: deviceKeys.groups(language, takesRule, deviceName),
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/device/get-group-device-list', { query: { takesRule, deviceName }, signal }),
  });

export const pageQuery = (language: Language, filter: PageFilter, pageNo: number) =>
  queryOptions({
    ...deviceQueryOptions,
    queryKey: deviceKeys.page(language, filter, pageNo),
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/device/page', { query: { ...filter, pageNo, pageSize }, signal }),
  });

/** One device by its name; null when this tenant has no device of that name. */
export const deviceQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...deviceQueryOptions,
    queryKey: deviceKeys.device(language, deviceName),
    queryFn: async ({ signal }) => {
      const query = { deviceNames: [deviceName], pageSize: 1 };
      const { list } = await api.get('/admin-api/client/pc/device/deviceNames/get', { query, signal });
      return list[0] ?? null;
    },
  });

export const latestQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...deviceQueryOptions,
    queryKey: deviceKeys.latest(language, deviceName),
    queryFn: ({ signal }) => api.get('/admin-api/device/data/all/data-last', { query: { deviceName }, signal }),
  });

export const tslQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...deviceQueryOptions,
    queryKey: deviceKeys.tsl(language, deviceName),
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/tsl', { query: { deviceName }, signal }),
    staleTime: 5 * 60_000,
  });

/**
 * The thing model of a product, fetched through one of its devices: a hundred cards of one product
 * share one request.
 */
export const modelQuery = (language: Language, { productId, deviceName }: { productId: number; deviceName: string }) =>
  queryOptions({
    ...deviceQueryOptions,
    queryKey: deviceKeys.model(language, productId),
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/tsl', { query: { deviceName }, signal }),
    staleTime: 5 * 60_000,
  });

/** How a derived property got its newest value, or why it has none; refetched on every look. */
export const derivedQuery = (deviceName: string, sign: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: deviceKeys.derived(deviceName, sign),
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/device/get/derived', { query: { deviceName, yeuSign: sign }, signal }),
  });

/**
 * Some devices by their names, at most `maxNames` of them; names that this tenant does not have are
 * left out.
 */
export const namedQuery = (language: Language, deviceNames: readonly string[]) =>
  queryOptions({
    ...deviceQueryOptions,
    queryKey: deviceKeys.named(language, deviceNames),
    queryFn: ({ signal }) => {
      const query = { deviceNames: [...deviceNames], pageSize: maxNames };
      return api.get('/admin-api/client/pc/device/deviceNames/get', { query, signal });
    },
  });

/** The map's devices; with `sign`, each with the newest number of that property. */
export const mapQuery = (view: MapView | null, sign?: string) =>
  queryOptions({
    ...deviceQueryOptions,
    queryKey: deviceKeys.map(view, sign),
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/map', { query: { ...view, yeuSign: sign }, signal }),
  });
