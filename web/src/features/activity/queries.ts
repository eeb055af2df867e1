import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { bannerQueryOptions } from '@/lib/device/queries';
import { api } from '@/lib/http/api';
import { pageSizes } from '@/lib/http/paging';
import type { Language } from '@/lib/i18n/i18n';
import { type ActivitySearch, midnight } from './search';

type Schemas = components['schemas'];
export type Entry = Schemas['AuditEntry'];
export type Change = Schemas['AuditChange'];
export type Person = Schemas['AuditPerson'];
export type Condition = Schemas['AlarmCondition'];

/** A page of the log. It is fetched anew whenever the user comes back to it. */
export const activityQuery = ({ q, who, kind, from, to, page = 1, size = pageSizes[0] }: ActivitySearch) => {
  const end = midnight(to, 1);
  const query = {
    text: q,
    who,
    kind,
    startTime: midnight(from),
    endTime: end === undefined ? undefined : end - 1,
    pageNo: page,
    pageSize: size,
  };
  return queryOptions({
    ...bannerQueryOptions,
    queryKey: ['activity', query],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/audit/page', { query, signal }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: 'always',
  });
};

/** The names of the attributes that a rule's conditions refer to. */
export const namesQuery = (language: Language, signs: readonly string[]) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: ['elements', language, signs],
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/element/get-map/yeu-sign', { query: { yeuSigns: [...signs] }, signal }),
    staleTime: 5 * 60_000,
    enabled: signs.length > 0,
  });
