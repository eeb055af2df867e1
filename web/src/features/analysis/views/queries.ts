import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { api } from '@/lib/http/api';

export type View = components['schemas']['AnalysisView'];

const path = '/admin-api/client/pc/analysis-view';
export const viewsKey = ['analysis-views'] as const;

/** The user's views, by name. The panel that lists them shows a failure itself. */
export const viewsQuery = () =>
  queryOptions({
    queryKey: viewsKey,
    queryFn: ({ signal }) => api.get(`${path}/list`, { signal }),
    meta: { banner: true },
  });

export const createView = (body: Omit<View, 'id'>) => api.post(`${path}/create`, { body });
export const updateView = (body: View) => api.put(`${path}/update`, { body });
export const deleteView = (id: number) => api.del(`${path}/delete`, { query: { id } });
