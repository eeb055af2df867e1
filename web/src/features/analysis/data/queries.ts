import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { Semaphore } from '@/lib/async/semaphore';
import { bannerQueryOptions } from '@/lib/device/queries';
import { api } from '@/lib/http/api';
import type { Resolution } from '../search';
import { type Line, linesOf, type Span } from './line';
import { onTimesOf } from './onTimes';
import { switchLine } from './switchLine';

export const analysisKeys = {
  lines: ['analysis', 'lines'] as const,
  rules: (deviceNames: readonly string[]) => ['alarm-rules', 'page', 'limits', deviceNames] as const,
  notices: (deviceNames: readonly string[], span: Span) =>
    ['alarm-notices', 'page', 'analysis', deviceNames, span] as const,
};

/** What one call asks for. */
export interface Ask {
  deviceName: string;
  signs: readonly string[];
  span: Span;
  /** On-times are those of a single switch. */
  by: Resolution | 'onTimes';
  /** For auto: the most values of a property. */
  points: number;
}

export type Lines = ReadonlyMap<string, Line>;

/** The server works on a few calls of a user at a time and refuses too many that wait. */
const slots = new Semaphore(4);

async function fetchLines({ deviceName, signs, span, by, points }: Ask, signal: AbortSignal): Promise<Lines> {
  if (signs.length === 0) return new Map();
  if (by === 'onTimes') return await fetchOnTimes({ deviceName, signs, span }, signal);
  const query = {
    deviceName,
    startTime: span.from,
    endTime: span.to,
    yeuSignList: [...signs],
    resolution: by,
    ...(by === 'auto' ? { points } : {}),
  };
  const path = '/admin-api/client/pc/device/get/columns/aggregated-data';
  return linesOf(await slots.run(() => api.get(path, { query, signal }), signal));
}

/** Of a switch of which nothing is known there is no line. */
async function fetchOnTimes(
  { deviceName, signs, span }: Pick<Ask, 'deviceName' | 'signs' | 'span'>,
  signal: AbortSignal,
) {
  const [yeuSign = ''] = signs;
  const query = { deviceName, yeuSign, startTime: span.from, endTime: span.to };
  const path = '/admin-api/client/pc/device/get/on-times';
  const onTimes = onTimesOf(await slots.run(() => api.get(path, { query, signal }), signal));
  const { on, off } = onTimes.total;
  return new Map(on + off > 0 ? [[yeuSign, switchLine(onTimes)]] : []);
}

/** The lines of several calls, in their order. What is shown stays until all of the next have come. */
export const linesQuery = (asks: readonly Ask[]) =>
  queryOptions({
    ...bannerQueryOptions,
    // A calibration changes the past.
    meta: { banner: true, staleOn: ['device'] },
    queryKey: [...analysisKeys.lines, asks],
    queryFn: ({ signal }) => Promise.all(asks.map((ask) => fetchLines(ask, signal))),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

const most = 400;

/** The rules of the devices that run. */
export const runningRulesQuery = (deviceNames: readonly string[]) =>
  queryOptions({
    ...bannerQueryOptions,
    // As the pages of rules, among whose keys it is.
    meta: { banner: true, refetchOn: ['rule', 'channel', 'device'] },
    queryKey: analysisKeys.rules(deviceNames),
    queryFn: async ({ signal }) => {
      const query = { executionId: deviceNames.join(','), running: true, pageNo: 1, pageSize: most };
      return (await api.get('/admin-api/client/pc/alarm-rules/page', { query, signal })).list;
    },
    placeholderData: keepPreviousData,
  });

/** How long before the range an alarm may have begun that is still shown in it. */
const longestAlarmMs = 90 * 86_400_000;

/** The alarms of the devices in a range, also those that began before, the newest 400. */
export const alarmsQuery = (deviceNames: readonly string[], span: Span) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: analysisKeys.notices(deviceNames, span),
    queryFn: async ({ signal }) => {
      const query = {
        deviceNameStr: deviceNames.join(','),
        startTime: Math.max(0, span.from - longestAlarmMs),
        endTime: span.to,
        pageNo: 1,
        pageSize: most,
      };
      const { list } = await api.get('/admin-api/client/pc/alarm-notice/page', { query, signal });
      return list.filter(({ endTime }) => endTime === undefined || endTime >= span.from);
    },
    placeholderData: keepPreviousData,
  });
