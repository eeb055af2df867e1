import { useMemo } from 'react';
import type { Language } from '@/lib/i18n';
import type { Attribute } from './attributes';
import type { Comparison } from './compare';
import type { Span } from './range';
import { useCompared } from './useCompared';
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
  const { other, shared, itsAll, ...asked } = useCompared({ language, deviceName, comparison, range, attributes, all });
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
    error: readings.error ?? asked.error,
    retry: () => {
      asked.retry();
      readings.retry();
    },
    shift,
    nothingShared: asked.nothingShared,
  };
}
