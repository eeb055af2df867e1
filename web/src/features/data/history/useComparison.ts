import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Language } from '@/lib/i18n';
import { type Attribute, attributesOf } from './attributes';
import { type Comparison, compared } from './compare';
import { tslQuery } from './queries';
import type { Span } from './range';
import { useReadings } from './useReadings';

interface Asked {
  language: Language;
  deviceName: string;
  comparison: Comparison;
  range: Span;
  window: Span | null;
  attributes: readonly Attribute[];
  all: readonly Attribute[];
  points: number;
}

/** The readings that lie beside, and by how much they are moved. Another device is asked only for what it has. */
export function useComparison({ language, deviceName, comparison, range, window, attributes, all, points }: Asked) {
  const other = compared(comparison, deviceName, range);
  const foreign = comparison.with === 'device';
  const tsl = useQuery({ ...tslQuery(language, other?.deviceName ?? ''), enabled: foreign });
  const itsAll = useMemo(() => (foreign ? attributesOf(tsl.data?.propertie ?? []) : all), [foreign, tsl.data, all]);
  const shared = useMemo(
    () =>
      attributes.filter(({ id, unit, kind }) =>
        itsAll.some((its) => its.id === id && its.unit === unit && its.kind === kind),
      ),
    [attributes, itsAll],
  );
  const shift = other?.shift ?? 0;
  const moved = useMemo(() => window && { from: window.from - shift, to: window.to - shift }, [window, shift]);
  const readings = useReadings(
    other && shared.length > 0
      ? { deviceName: other.deviceName, range: other.range, asked: shared, all: itsAll, points }
      : null,
    moved,
  );
  const its = readings.readings?.range;
  const current = other && shared.length > 0 && its?.from === other.range.from && its.to === other.range.to;
  return {
    ...readings,
    // What was there before belongs to another range, and would lie in the wrong place.
    readings: current ? readings.readings : undefined,
    error: readings.error ?? (foreign ? tsl.error : null),
    retry: () => {
      if (tsl.isError) void tsl.refetch();
      readings.retry();
    },
    shift,
    /** The other device measures nothing of what is shown. */
    nothingShared: foreign && tsl.isSuccess && attributes.length > 0 && shared.length === 0,
  };
}
