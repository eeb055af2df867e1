import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { noticeKeys } from '@/lib/alarm/notices';
import { bannerQueryOptions } from '@/lib/device/queries';
import type { Series } from '@/lib/device/types';
import { now } from '@/lib/format/clock';
import { api } from '@/lib/http/api';
import type { LivePresence, LiveReading } from '@/lib/live/useLive';
import type { AlarmDetail } from '../queries';

/** The margin before the beginning and after the end; section 9 of the specification. */
export const marginMs = 5 * 60_000;
/** The longest range that one call accepts. */
const maxRangeMs = 30 * 24 * 3_600_000;
/** Longer ranges are thinned; their lows and highs are kept. */
const unthinnedMs = 24 * 3_600_000;
const points = 1500;

/** The query for the chart of a notice. */
export interface Question {
  deviceName: string;
  /** Identifiers; empty: presence changes. */
  signs: readonly string[];
  from: number;
  /** Absent while the alarm is open. */
  to?: number;
}

/**
 * The time axis: from five minutes before the alarm to five minutes after it, but at most thirty
 * days.
 */
export function spanOf({ from, to }: Question, at: number): { from: number; to: number } {
  return { from, to: Math.min(to ?? at + marginMs, from + maxRangeMs) };
}

/** Attributes that the product has lost since are queried too: their readings still exist. */
export function questionOf({ alarmNotice, alarmRules, alarmDeviceInfoRespDTO }: AlarmDetail): Question {
  const { startTime, endTime } = alarmNotice;
  const { triggerType, conditions } = alarmRules;
  return {
    deviceName: alarmDeviceInfoRespDTO.deviceName,
    signs: triggerType === 1 ? [] : [...new Set(conditions.map(({ tslAttribute }) => tslAttribute))],
    from: startTime - marginMs,
    ...(endTime === undefined ? {} : { to: endTime + marginMs }),
  };
}

/** The readings that the chart draws. */
export const chartQuery = (question: Question) =>
  queryOptions({
    ...bannerQueryOptions,
    queryKey: [...noticeKeys.kind('chart'), question],
    queryFn: ({ signal }) => fetchSeries(question, signal),
    // When the alarm ends the query changes; the previous readings stay until the new ones arrive.
    placeholderData: (before: Series | undefined, query) =>
      sameChart(query?.queryKey.at(-1), question) ? before : undefined,
  });

function sameChart(before: unknown, { deviceName, from }: Question): boolean {
  const other = before as Question | undefined;
  return other?.deviceName === deviceName && other.from === from;
}

async function fetchSeries(question: Question, signal: AbortSignal): Promise<Series> {
  const { deviceName, signs } = question;
  if (signs.length === 0) {
    const query = { deviceName, pageNo: 1, pageSize: 400 };
    const { list } = await api.get('/admin-api/client/pc/device/get/presence', { query, signal });
    return { onlineState: list.map(({ time, onlineState }) => ({ time, value: onlineState === 1 })).reverse() };
  }
  const at = Math.ceil(now());
  const { from, to } = spanOf(question, at);
  const query = { deviceName, startTime: from, endTime: Math.min(to, at), yeuSignList: [...signs] };
  if (to - from > unthinnedMs) {
    const thinned = { ...query, points };
    return api.get('/admin-api/client/pc/device/get/format-map/time-interval-data', { query: thinned, signal });
  }
  const rows = await api.get('/admin-api/client/pc/device/get/sign-data', { query, signal });
  return seriesOf(rows as Row[], signs);
}

type Value = components['schemas']['ReadingValue'];
type Row = { collect_time: number } & { [sign: string]: Value | undefined };

export function seriesOf(rows: readonly Row[], signs: readonly string[]): Series {
  const entries = signs.map((sign) => {
    const list = rows.flatMap(({ collect_time: time, [sign]: value }) => (value === undefined ? [] : { time, value }));
    return [sign, list] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * The series with a live reading added; the same object if the reading does not belong to the
 * chart.
 */
export function withReading(series: Series, question: Question, { time, values }: LiveReading): Series {
  if (time < question.from || (question.to !== undefined && time > question.to)) return series;
  let next = series;
  for (const sign of question.signs) {
    const value = values[sign];
    if (value === undefined) continue;
    const before = next[sign] ?? [];
    const others = before.filter((point) => point.time !== time);
    next = { ...next, [sign]: [...others, { time, value }].sort((a, b) => a.time - b.time) };
  }
  return next;
}

/** The series with a live presence change added. */
export function withPresence(series: Series, { time, onlineState }: LivePresence): Series {
  return { onlineState: [...(series.onlineState ?? []), { time, value: onlineState === 1 }] };
}

/** Whether there is anything to draw. */
export function hasPoints(series: Series | undefined): series is Series {
  return series !== undefined && Object.values(series).some((list) => list.length > 0);
}
