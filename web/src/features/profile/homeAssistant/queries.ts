import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { api } from '@/lib/http/api';

type Schemas = components['schemas'];

export type HomeAssistant = Schemas['HomeAssistant'];
export type HomeAssistantUpdate = Schemas['HomeAssistantUpdate'];

const path = '/admin-api/client/pc/integration/home-assistant';

/** The settings and the state; the live stream says when either changed. */
export const homeAssistantQuery = () =>
  queryOptions({
    queryKey: ['home-assistant'],
    queryFn: ({ signal }) => api.get(path, { signal }),
    refetchOnMount: 'always',
    meta: { banner: true, refetchOn: ['integration', 'reset'] },
  });

export const updateHomeAssistant = (body: HomeAssistantUpdate) => api.put(path, { body });
