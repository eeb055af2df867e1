import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema.gen';
import { noticeKeys } from '@/lib/alarm/notices';
import { bannerQueryOptions } from '@/lib/device/queries';
import type { Series } from '@/lib/device/types';
import { now } from '@/lib/format/clock';
import { api } from '@/lib/http/api';
import type { LivePresence, LiveReading } from '@/lib/live/useLive';
import type { AlarmDetail } from '../queries';
import { countBeside, dayMs, joinSeries, leastReadings, type Read, readBeside, type Side, tenthBeside } from './around';

/**
 * The least margin before the beginning and after the end; section 9 of the specification. It is
 * wider if it has fewer than ten readings.
 */
export const marginMs = 5 * 60_000;
/** The longest range that one call accepts. */
const maxRangeMs = 30 * dayMs;
/** Longer ranges are thinned; their lows and highs are kept. */
const unthinnedMs = dayMs;
const points = 1500;

/** The query for the chart of a notice. */
export interface Question {
  deviceName: string;
  /** Identifiers; empty: presence changes. */
  signs: readonly string[];
  /** Those of them that are numbers. */
  numeric: readonly string[];
  /** The beginning and the end of the alarm; the end is absent while the alarm is open. */
  start: number;
  end?: number;
  /** The device sent nothing from start to end. */
  silent?: true;
  /** Where the chart begins instead of at the beginning of the alarm. */
  since?: number;
}

export interface Span {
  from: number;
  to: number;
}

/**
 * The time axis: from ten readings before the alarm, or before since when it holds, at least five
 * minutes, to as much after it, or to five minutes from now while it is open. Around the alarm it is
 * at most thirty days long.
 */
export function spanOf({ signs, start, end, silent, since }: Question, series: Series, at: number): Span {
  const known = signs.length > 0 ? series : {};
  if (silent) {
    const times = Object.values(series).flatMap((points) => points.map(({ time }) => time));
    return {
      from: Math.min(start - marginMs, ...times),
      to: end === undefined ? at : Math.max(end + marginMs, ...times),
    };
  }
  const begin = since ?? start;
  const from = Math.min(begin - marginMs, tenthBeside(known, begin, -1) ?? begin);
  const to = end === undefined ? at + marginMs : Math.max(end + marginMs, tenthBeside(known, end, 1) ?? end);
  return { from, to: since === undefined ? Math.min(to, from + maxRangeMs) : to };
}

/** Since when a silent device has been silent, as far as is known. */
export const silentSince = ({ alarmNotice, alarmRules }: AlarmDetail): number =>
  alarmNotice.holdsSince ?? alarmNotice.startTime - alarmRules.durations;

/**
 * A device's silence is asked for by what it sent before. Attributes that the product has lost since are queried
 * too: their readings still exist.
 */
export function questionOf(detail: AlarmDetail): Question {
  const { alarmNotice, alarmRules, alarmDeviceInfoRespDTO } = detail;
  const { startTime, endTime } = alarmNotice;
  const { triggerType, conditions } = alarmRules;
  const named = (of: typeof conditions) => [...new Set(of.map(({ tslAttribute }) => tslAttribute))];
  const byReadings = triggerType !== 1;
  const { mainSign } = alarmDeviceInfoRespDTO;
  if (!byReadings && mainSign !== '') {
    const { deviceName } = alarmDeviceInfoRespDTO;
    const silence = { deviceName, signs: [mainSign], numeric: [mainSign], silent: true as const };
    return { ...silence, start: silentSince(detail), ...(endTime === undefined ? {} : { end: endTime }) };
  }
  return {
    deviceName: alarmDeviceInfoRespDTO.deviceName,
    signs: byReadings ? named(conditions) : [],
    numeric: byReadings ? named(conditions.filter(({ value }) => typeof value === 'number')) : [],
    start: byReadings ? startTime : silentSince(detail),
    ...(endTime === undefined ? {} : { end: endTime }),
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

function sameChart(before: unknown, { deviceName, start }: Question): boolean {
  const other = before as Question | undefined;
  return other?.deviceName === deviceName && other.start === start;
}

async function fetchSeries(question: Question, signal: AbortSignal): Promise<Series> {
  const { deviceName, signs, numeric, start, end, since } = question;
  if (signs.length === 0) {
    const query = { deviceName, pageNo: 1, pageSize: 400 };
    const { list } = await api.get('/admin-api/client/pc/device/get/presence', { query, signal });
    return { onlineState: list.map(({ time, onlineState }) => ({ time, value: onlineState === 1 })).reverse() };
  }
  const read = async (...[some, startTime, endTime, kind, most = points]: [...Parameters<Read>, number?]) => {
    const query = { deviceName, startTime, endTime, yeuSignList: [...some] };
    if (kind === 'thinned') {
      const thinned = { ...query, points: most };
      return api.get('/admin-api/client/pc/device/get/format-map/time-interval-data', { query: thinned, signal });
    }
    const rows = await api.get('/admin-api/client/pc/device/get/sign-data', { query, signal });
    return seriesOf(rows as Row[], some);
  };
  const at = Math.ceil(now());
  if (question.silent) return fetchAroundSilence(question, read, at);
  const begin = since ?? start;
  const from = begin - marginMs;
  const last = Math.min(end === undefined ? at : end + marginMs, at);
  const to = since === undefined ? Math.min(last, from + maxRangeMs) : last;
  const parts: Series[] = [];
  const calls = Math.ceil((to - from) / maxRangeMs);
  for (let part = from; part < to; part += maxRangeMs) {
    const until = Math.min(to, part + maxRangeMs - (calls > 1 ? 1 : 0));
    parts.push(await read(signs, part, until, to - from > unthinnedMs ? 'thinned' : 'all', Math.ceil(points / calls)));
  }
  const series = joinSeries(parts);
  // What the alarm leaves of thirty days; an open alarm needs nothing after it.
  const room = since === undefined ? Math.max(0, maxRangeMs - (to - from)) : maxRangeMs;
  const share = end === undefined ? room : room / 2;
  const beside = (side: Side) => readBeside(side, series, signs, numeric, read);
  const [before, after] = await Promise.all([
    beside({ of: begin, direction: -1, known: from, limit: Math.floor(from - share) }),
    end === undefined ? {} : beside({ of: end, direction: 1, known: to, limit: Math.min(at, Math.floor(to + share)) }),
  ]);
  return joinSeries([before, series, after]);
}

/** What the device sent before it fell silent, half as long as the silence, and the first of what came after it. */
async function fetchAroundSilence({ signs, numeric, start, end }: Question, read: Read, at: number): Promise<Series> {
  const lead = Math.min(maxRangeMs, Math.max(marginMs, ((end ?? at) - start) / 2));
  const known = Math.floor(start - lead);
  const before = await read(signs, known, start, 'thinned');
  const beside = (side: Side, series: Series) => readBeside(side, series, signs, numeric, read);
  const [earlier, after] = await Promise.all([
    beside({ of: start + 1, direction: -1, known, limit: start - maxRangeMs }, before),
    end === undefined ? {} : beside({ of: end, direction: 1, known: end - 1, limit: at }, {}),
  ]);
  return joinSeries([earlier, before, after]);
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
 * chart. After the end, readings are added until there are ten.
 */
export function withReading(series: Series, question: Question, { time, values }: LiveReading): Series {
  const { start, end, since = start } = question;
  if (time < since - marginMs) return series;
  let next = series;
  for (const sign of question.signs) {
    const value = values[sign];
    if (value === undefined) continue;
    const before = next[sign] ?? [];
    const isBeyond = end !== undefined && time > end + marginMs;
    if (isBeyond && countBeside(before, end, 1) >= leastReadings) continue;
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
