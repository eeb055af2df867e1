import { type QueryMeta, queryOptions } from '@tanstack/react-query';
import { Semaphore } from '@/lib/async/semaphore';
import { now } from '@/lib/format/clock';
import { api } from '@/lib/http/api';
import { bannerQueryOptions, deviceKeys } from './queries';

/** The most devices and properties for which one call answers lines of the day. */
export const maxLineDevices = 50;
export const maxLineSigns = 64;
const dayMs = 24 * 3_600_000;

/** A calibration changes the past. A page shows a hundred of these, and most changes of devices are others. */
const dayQueryOptions = { ...bannerQueryOptions, meta: { banner: true, staleOn: ['device'] } satisfies QueryMeta };

/**
 * Limits the day queries of a page full of cards, so that calls that a user waits for get through.
 */
const dayQuerySlots = new Semaphore(4);

/**
 * The last 24 hours of one property, thinned out for a sparkline; every minimum and maximum is
 * kept.
 */
export const dayQuery = (deviceName: string, sign: string, points = 200) =>
  queryOptions({
    ...dayQueryOptions,
    queryKey: deviceKeys.day(deviceName, sign, points),
    queryFn: ({ signal }) =>
      dayQuerySlots.run(() => {
        const endTime = Math.ceil(now());
        const query = { deviceName, startTime: endTime - dayMs, endTime, yeuSignList: [sign], points };
        return api.get('/admin-api/client/pc/device/get/format-map/time-interval-data', { query, signal });
      }, signal),
    staleTime: 5 * 60_000,
  });

/** The last 24 hours of several devices by the hour, at most `maxLineDevices` of them. */
export const dayLinesQuery = (deviceNames: readonly string[], signs: readonly string[]) =>
  queryOptions({
    ...dayQueryOptions,
    queryKey: deviceKeys.dayLines(deviceNames, signs),
    queryFn: ({ signal }) =>
      dayQuerySlots.run(() => {
        const query = { deviceNames: [...deviceNames], yeuSigns: [...signs] };
        return api.get('/admin-api/client/pc/device/get/day-lines', { query, signal });
      }, signal),
    staleTime: 10 * 60_000,
  });
