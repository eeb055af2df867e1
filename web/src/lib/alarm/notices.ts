import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { bannerQueryOptions } from '@/lib/device/queries';
import { api } from '@/lib/http/api';

type Schemas = components['schemas'];

export type AlarmNotice = Schemas['AlarmNotice'];
export type AlarmNoticePage = Schemas['AlarmNoticePage'];
/** Who said to be on a notice. */
export type Ack = Schemas['AlarmAck'];

/** The second word says what the data are, so that live events find them. */
export const noticeKeys = {
  all: ['alarm-notices'] as const,
  kind: (kind: 'page' | 'open' | 'notice' | 'properties' | 'chart' | 'advice') => ['alarm-notices', kind] as const,
  open: (deviceName: string) => ['alarm-notices', 'open', deviceName] as const,
};

/** How many open notices of one device stand beside it; the inform page has all. */
export const maxOpenNotices = 3;

/** What is open of a device, the newest first. */
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
