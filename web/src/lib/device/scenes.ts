import { type QueryMeta, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { api } from '@/lib/http/api';
import { bannerQueryOptions } from './queries';

export type Scene = components['schemas']['Scene'];

export const sceneKey = ['scenes'] as const;
/** Scenes count their devices. */
export const sceneMeta = { banner: true, refetchOn: ['device', 'scene', 'reset'] } satisfies QueryMeta;

const maxRows = 400;

/** Every scene, for selection lists. */
export const allScenesQuery = () =>
  queryOptions({
    ...bannerQueryOptions,
    meta: sceneMeta,
    queryKey: [...sceneKey, 'all'],
    queryFn: async ({ signal }) => {
      const scenes: Scene[] = [];
      for (let pageNo = 1; ; pageNo++) {
        const query = { pageNo, pageSize: maxRows };
        const { list, total } = await api.get('/admin-api/client/pc/group/page', { query, signal });
        scenes.push(...list);
        // Stops at an empty page too: a list that shrinks meanwhile would otherwise be fetched
        // forever.
        if (list.length === 0 || scenes.length >= total) return scenes;
      }
    },
  });

export const productsQuery = () =>
  queryOptions({
    queryKey: ['products'],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/product/get/simple-list', { signal }),
    staleTime: 5 * 60_000,
    meta: { refetchOn: ['device'] },
  });
