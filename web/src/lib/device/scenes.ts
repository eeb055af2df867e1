import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { api } from '@/lib/http/api';
import { bannerQueryOptions } from './queries';

export type Scene = components['schemas']['Scene'];

export const sceneKey = ['scenes'] as const;

const maxRows = 400;

/** Every scene, for those who choose one. */
export const allScenesQuery = () =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...sceneKey, 'all'],
    queryFn: async ({ signal }) => {
      const scenes: Scene[] = [];
      for (let pageNo = 1; ; pageNo++) {
        const query = { pageNo, pageSize: maxRows };
        const { list, total } = await api.get('/admin-api/client/pc/group/page', { query, signal });
        scenes.push(...list);
        // Without an end in sight a list that shrinks meanwhile would be asked for for ever.
        if (list.length === 0 || scenes.length >= total) return scenes;
      }
    },
  });

export const productsQuery = () =>
  queryOptions({
    queryKey: ['products'],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/product/get/simple-list', { signal }),
    staleTime: 5 * 60_000,
  });
