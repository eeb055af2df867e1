import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { bannerQueryOptions } from '@/lib/device/queries';
import { api } from '@/lib/http/api';
import type { Language } from '@/lib/i18n/i18n';

type Schemas = components['schemas'];

export type Attention = Schemas['Attention'];
export type AttentionItem = Schemas['AttentionItem'];

export const attentionKey = ['attention'] as const;

/** What needs a person now, the most urgent first. */
export const attentionQuery = (language: Language) =>
  queryOptions({
    ...bannerQueryOptions,
    // It names running rules that reach nobody.
    meta: { banner: true, refetchOn: ['rule', 'channel'] },
    queryKey: [...attentionKey, language],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/home/attention', { signal }),
  });

/** Unique among the items of an answer. */
export function itemKey({ kind, deviceName, noticeId }: AttentionItem): string {
  return kind === 'alarm' ? `alarm ${noticeId}` : `${kind} ${deviceName}`;
}
