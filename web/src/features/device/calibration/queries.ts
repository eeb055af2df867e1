import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { bannerQueryOptions, deviceKeys } from '@/lib/device/queries';
import { api } from '@/lib/http/api';
import type { Language } from '@/lib/i18n/i18n';
import { detailKey } from '../queries';

export type Calibration = components['schemas']['Calibration'];
export type CalibrationCreate = components['schemas']['CalibrationCreate'];

const perPage = 10;

/** The calibrations of a device, the newest first, also those that were undone. */
export const calibrationsQuery = (language: Language, deviceName: string) =>
  infiniteQueryOptions({
    ...bannerQueryOptions,
    meta: { banner: true, refetchOn: ['device'] },
    queryKey: [...detailKey, 'calibrations', deviceName, language],
    queryFn: ({ pageParam, signal }) =>
      api.get('/admin-api/client/pc/device/calibration/page', {
        query: { deviceName, pageNo: pageParam, pageSize: perPage },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ total }, pages) => (pages.length * perPage < total ? pages.length + 1 : undefined),
  });

/**
 * The latest readings at the time of asking, with the numbers as they arrived, which live events do
 * not bring.
 */
export const previewQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...detailKey, 'calibration-preview', deviceName, language],
    queryFn: ({ signal }) => api.get('/admin-api/device/data/all/data-last', { query: { deviceName }, signal }),
    staleTime: 0,
    gcTime: 0,
  });

/** A calibration changes what was read before, too: everything that shows readings is fetched anew. */
export function refetchReadings(client: QueryClient): void {
  for (const queryKey of [deviceKeys.all, detailKey, ['history'], ['analysis']]) {
    void client.invalidateQueries({ queryKey });
  }
}
