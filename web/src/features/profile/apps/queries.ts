import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { api } from '@/lib/http/api';

export type Credential = components['schemas']['Credential'];
export type NewCredential = components['schemas']['NewCredential'];

export const credentialKey = ['credentials'] as const;

export const credentialPageQuery = (pageNo: number, pageSize: number) =>
  queryOptions({
    queryKey: [...credentialKey, pageNo, pageSize],
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/apicredentials/page', { query: { pageNo, pageSize }, signal }),
    placeholderData: keepPreviousData,
    meta: { banner: true },
  });
