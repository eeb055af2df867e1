import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { components } from '@/api/schema.gen';
import { dayLinesQuery, maxLineSigns } from '@/lib/device/dayQueries';
import { useDataSaver } from '@/lib/storage/dataSaver';
import type { SparkPoint } from '@/ui/sparkPath';
import type { Slot } from '../grid/useSensors';
import type { QuantityColumn } from './columns';
import { lineBlock } from './rowWindow';

type DayLines = components['schemas']['DayLines'];
export type LineOf = (deviceName: string, sign: string) => readonly SparkPoint[];

const hourMs = 3_600_000;

/**
 * The lines of the last 24 hours for the rows in view, a block of rows at a time. With the data
 * saver there are none.
 */
export function useDayLines(slots: readonly Slot[], columns: readonly QuantityColumn[]): LineOf {
  const dataSaver = useDataSaver();
  const signs = useMemo(
    () => columns.flatMap(({ sign, line }) => (line ? [sign] : [])).slice(0, maxLineSigns),
    [columns],
  );
  const blocks = dataSaver || signs.length === 0 ? [] : completeBlocks(slots);
  const combine = useCallback((results: UseQueryResult<DayLines>[]) => {
    const points = new Map<string, SparkPoint[]>();
    for (const { data } of results) {
      for (const [deviceName, lines] of Object.entries(data?.lines ?? {})) {
        for (const [sign, means] of Object.entries(lines)) {
          points.set(`${deviceName} ${sign}`, pointsOf(data?.from ?? 0, means));
        }
      }
    }
    return points;
  }, []);
  const points = useQueries({ queries: blocks.map((names) => dayLinesQuery(names, signs)), combine });
  return useCallback((deviceName, sign) => points.get(`${deviceName} ${sign}`) ?? noPoints, [points]);
}

const noPoints: readonly SparkPoint[] = [];

/** An hour's mean stands in the middle of the hour. */
function pointsOf(from: number, means: readonly (number | null)[]): SparkPoint[] {
  return means.flatMap((value, i) => (value === null ? [] : [{ time: from + (i + 0.5) * hourMs, value }]));
}

/** The names of the devices of each block of rows whose devices are all known. */
function completeBlocks(slots: readonly Slot[]): string[][] {
  const blocks = new Map<number, (string | undefined)[]>();
  for (const { index, device } of slots) {
    const block = Math.floor(index / lineBlock);
    blocks.set(block, [...(blocks.get(block) ?? []), device?.deviceName]);
  }
  return [...blocks.values()].filter((names): names is string[] => names.every((name) => name !== undefined));
}
