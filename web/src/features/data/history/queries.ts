import { keepPreviousData, type QueryMeta, queryOptions } from '@tanstack/react-query';
import { api } from '@/lib/http/api';
import type { Language } from '@/lib/i18n/i18n';
import { type Hours, readHours } from './hours';
import type { Span } from './range';
import { rowsOf } from './rows';
import { readPieces, type SampledLine, type TextValue } from './series';

/** The dialog shows a failure itself and keeps its data. Past readings rarely change, so nothing is refetched. */
const historyQueryOptions = {
  meta: { banner: true },
  staleTime: 5 * 60_000,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
};

/** A calibration changes past readings: they are fetched when they are next looked at. */
const readingMeta = { banner: true, staleOn: ['device'] } satisfies QueryMeta;

export const tslQuery = (language: Language, deviceName: string) =>
  queryOptions({
    ...historyQueryOptions,
    queryKey: ['history', 'tsl', language, deviceName] as const,
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/device/get/tsl', { query: { deviceName }, signal }),
  });

/** A device's readings of a span: lines by identifier, and the texts. */
export interface Sample extends Span {
  /** How many points per attribute were requested; null: all. */
  points: number | null;
  /** Numbers as they arrived, not as calibrations correct them. */
  raw: boolean;
  lines: Map<string, SampledLine>;
  texts: Map<string, TextValue[]>;
}

export interface SampleQuestion extends Span {
  points: number | null;
  deviceName: string;
  ids: readonly string[];
  raw: boolean;
}

const valuesOf = (raw: boolean) => (raw ? { values: 'raw' as const } : {});

export const sampleQuery = ({ deviceName, ids, from, to, points, raw }: SampleQuestion) =>
  queryOptions({
    ...historyQueryOptions,
    meta: readingMeta,
    queryKey: ['history', 'sample', deviceName, from, to, points, [...ids].sort(), raw] as const,
    queryFn: async ({ signal }): Promise<Sample> => {
      const query = {
        deviceName,
        startTime: from,
        endTime: to,
        yeuSignList: [...ids],
        ...(points ? { points } : {}),
        ...valuesOf(raw),
      };
      const path = '/admin-api/client/pc/device/get/columns/time-interval-data';
      return { from, to, points, raw, ...readPieces(await api.get(path, { query, signal }), ids) };
    },
    // A month of readings takes megabytes, so it is dropped soon after the dialog has closed.
    gcTime: 60_000,
    structuralSharing: false,
  });

/** A device's readings of a span by the hour. */
export interface HoursSample extends Span {
  raw: boolean;
  hours: Map<string, Hours>;
}

export const hoursQuery = ({ deviceName, ids, from, to, raw }: Omit<SampleQuestion, 'points'>) =>
  queryOptions({
    ...historyQueryOptions,
    meta: readingMeta,
    queryKey: ['history', 'hours', deviceName, from, to, [...ids].sort(), raw] as const,
    queryFn: async ({ signal }): Promise<HoursSample> => {
      const query = {
        deviceName,
        startTime: from,
        endTime: to,
        yeuSignList: [...ids],
        resolution: 'hour' as const,
        ...valuesOf(raw),
      };
      const path = '/admin-api/client/pc/device/get/columns/aggregated-data';
      const { aggregates = [] } = await api.get(path, { query, signal });
      return { from, to, raw, hours: readHours(aggregates, { from, to }) };
    },
    gcTime: 60_000,
    structuralSharing: false,
  });

export const rowsQuery = ({ deviceName, ids, from, to, raw }: Omit<SampleQuestion, 'points'>) =>
  queryOptions({
    ...historyQueryOptions,
    meta: readingMeta,
    queryKey: ['history', 'rows', deviceName, from, to, [...ids].sort(), raw] as const,
    queryFn: async ({ signal }) => {
      const query = { deviceName, startTime: from, endTime: to, yeuSignList: [...ids], ...valuesOf(raw) };
      const path = '/admin-api/client/pc/device/get/format-sign-array/time-interval-data';
      return rowsOf(await api.get(path, { query, signal }), ids);
    },
    gcTime: 60_000,
    structuralSharing: false,
  });

/** Devices whose names contain a text, for comparison. */
export const devicesQuery = (language: Language, text: string) =>
  queryOptions({
    ...historyQueryOptions,
    meta: { banner: true, refetchOn: ['device'] },
    queryKey: ['history', 'devices', language, text] as const,
    queryFn: async ({ signal }) => {
      const query = { deviceName: text, pageNo: 1, pageSize: 100 };
      return (await api.get('/admin-api/client/pc/device/page', { query, signal })).list;
    },
    placeholderData: keepPreviousData,
  });
