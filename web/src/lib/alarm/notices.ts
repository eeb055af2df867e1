import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { bannerQueryOptions } from '@/lib/device/queries';
import { api } from '@/lib/http/api';

type Schemas = components['schemas'];

export type AlarmNotice = Schemas['AlarmNotice'];
export type AlarmNoticePage = Schemas['AlarmNoticePage'];
/** The user who acknowledged a notice. */
export type Ack = Schemas['AlarmAck'];

/** The second word names the kind of data, so that live events find the queries. */
export const noticeKeys = {
  all: ['alarm-notices'] as const,
  kind: (kind: 'page' | 'open' | 'notice' | 'properties' | 'chart' | 'advice') => ['alarm-notices', kind] as const,
  open: (deviceName: string) => ['alarm-notices', 'open', deviceName] as const,
};

/** How many open notices of one device are shown beside it; the notices page has all. */
export const maxOpenNotices = 3;

/** A device's open notices, the newest first. */
export const openNoticesQuery = (deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: noticeKeys.open(deviceName),
    queryFn: ({ signal }) =>
      api.get('/admin-api/client/pc/alarm-notice/page', {
        query: { deviceNameStr: deviceName, resolveStatus: 0, pageNo: 1, pageSize: maxOpenNotices },
        signal,
      }),
  });

/** Refetches after a change of notices that a page cannot apply by itself. */
export function refetchNotices(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: noticeKeys.all });
}
