import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '@/lib/api';
import type { Language } from '@/lib/i18n';
import type { Thinning } from './gaps';
import type { Span } from './range';
import { rowsOf } from './rows';
import { type Line, lineOf, type SeriesPoint } from './series';

/** The dialog shows failures itself and keeps what it had; the past does not change, so nothing is asked for twice. */
const lasting = {
  meta: { showsErrors: true },
  staleTime: 5 * 60_000,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
};

export const tslQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...lasting,
    queryKey: ['history', 'tsl', language, deviceName] as const,
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/tsl', { query: { deviceName }, signal }),
  });

/** A device's readings of a span, as they came: lines by identifier, and the texts. */
export interface Sample extends Thinning {
  lines: Map<string, Line>;
  texts: Map<string, { time: number; text: string }[]>;
}

export interface SampleQuestion extends Thinning {
  deviceName: string;
  ids: readonly string[];
}

function sampleOf({ from, to, points }: Thinning, series: Record<string, SeriesPoint[]>): Sample {
  const sample: Sample = { from, to, points, lines: new Map(), texts: new Map() };
  for (const [id, list] of Object.entries(series)) {
    sample.lines.set(id, lineOf(list));
    const texts = list.flatMap(({ time, value }) => (typeof value === 'string' ? [{ time, text: value }] : []));
    if (texts.length > 0) sample.texts.set(id, texts);
  }
  return sample;
}

export const sampleQuery = ({ deviceName, ids, from, to, points }: SampleQuestion) =>
  queryOptions({
    ...lasting,
    queryKey: ['history', 'sample', deviceName, from, to, points, [...ids].sort()] as const,
    queryFn: async ({ signal }) => {
      const query = { deviceName, startTime: from, endTime: to, yeuSignList: [...ids], ...(points ? { points } : {}) };
      const path = '/admin-api/client/pc/device/get/format-map/time-interval-data';
      return sampleOf({ from, to, points }, await api.get(path, { query, signal }));
    },
    // A month of readings is megabytes: it is not kept for long after the dialog has closed.
    gcTime: 60_000,
    structuralSharing: false,
  });

export const rowsQuery = ({ deviceName, ids, from, to }: { deviceName: string; ids: readonly string[] } & Span) =>
  queryOptions({
    ...lasting,
    queryKey: ['history', 'rows', deviceName, from, to, [...ids].sort()] as const,
    queryFn: async ({ signal }) => {
      const query = { deviceName, startTime: from, endTime: to, yeuSignList: [...ids] };
      const path = '/admin-api/client/pc/device/get/format-sign-array/time-interval-data';
      return rowsOf(await api.get(path, { query, signal }), ids);
    },
    gcTime: 60_000,
    structuralSharing: false,
  });

/** Devices by a part of their name, for comparison. */
export const devicesQuery = (language: Language, text: string) =>
  queryOptions({
    ...lasting,
    queryKey: ['history', 'devices', language, text] as const,
    queryFn: async ({ signal }) => {
      const query = { deviceName: text, pageNo: 1, pageSize: 100 };
      return (await api.get('/admin-api/client/pc/device/page', { query, signal })).list;
    },
    placeholderData: keepPreviousData,
  });
