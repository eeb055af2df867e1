import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { type AnalysisTarget, rangeAround } from '@/lib/analysis/address';
import { bannerQueryOptions } from '@/lib/device/queries';
import { ApiError, api } from '@/lib/http/api';
import type { Language } from '@/lib/i18n/i18n';
import { noticeKeys } from './notices';

type Detail = components['schemas']['AlarmDetail'];

/** One notice. What the browser stored for use without a network has no deliveries. */
export type AlarmDetail = Omit<Detail, 'deliveries'> & Partial<Pick<Detail, 'deliveries'>>;

/** One notice with all its details; null if there is none with that id. */
export const noticeQuery = (language: Language, id: number) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...noticeKeys.kind('notice'), id, language],
    queryFn: async ({ signal }): Promise<AlarmDetail | null> => {
      try {
        return await api.get('/admin-api/client/pc/alarm-notice/get', { query: { id }, signal });
      } catch (error) {
        if (error instanceof ApiError && error.code === 404 && error.kind === 'business') return null;
        throw error;
      }
    },
    // The live stream does not report the progress of deliveries, so a notice with waiting
    // deliveries is refetched when the window regains the focus.
    refetchOnWindowFocus: ({ state: { data } }) => (isWaiting(data?.deliveries) ? 'always' : false),
  });

/** Whether any delivery is still to be sent. */
export function isWaiting(deliveries: AlarmDetail['deliveries'] = []): boolean {
  return deliveries.some(({ state }) => state === 'queued');
}

/** The history of a notice: what its rule asks of its device, with the limit, up to now. */
export function historyOf({ alarmNotice, alarmRules, alarmDeviceInfoRespDTO }: AlarmDetail, now: number) {
  const { id, startTime, holdsSince = startTime } = alarmNotice;
  const { deviceName, mainSign } = alarmDeviceInfoRespDTO;
  const silent = alarmRules.triggerType === 1;
  const asked = silent ? [mainSign].filter(Boolean) : alarmRules.conditions.map(({ tslAttribute }) => tslAttribute);
  return {
    devices: [deviceName],
    signs: [...new Set(asked)],
    range: rangeAround(Math.min(holdsSince, startTime), now),
    alarm: id,
  } satisfies AnalysisTarget;
}
