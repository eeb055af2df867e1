import { useMemo } from 'react';
import type { Language } from '@/lib/i18n/i18n';
import type { Attribute } from './attributes';
import type { Comparison } from './compare';
import type { Span } from './range';
import { useComparisonSource } from './useComparisonSource';
import { useReadings } from './useReadings';

interface ComparisonParams {
  language: Language;
  deviceName: string;
  comparison: Comparison;
  range: Span;
  window: Span | null;
  attributes: readonly Attribute[];
  all: readonly Attribute[];
  points: number;
  raw: boolean;
}

/**
 * The compared readings and their shift. Another device is queried only for attributes that it has.
 */
export function useComparison({
  language,
  deviceName,
  comparison,
  range,
  window,
  attributes,
  all,
  points,
  raw,
}: ComparisonParams) {
  const { other, shared, otherAttributes, ...asked } = useComparisonSource({
    language,
    deviceName,
    comparison,
    range,
    attributes,
    all,
  });
  const shift = other?.shift ?? 0;
  const moved = useMemo(() => window && { from: window.from - shift, to: window.to - shift }, [window, shift]);
  const readings = useReadings(
    other && shared.length > 0
      ? { deviceName: other.deviceName, range: other.range, asked: shared, all: otherAttributes, points, raw }
      : null,
    moved,
  );
  const comparedRange = readings.readings?.range;
  const current =
    other && shared.length > 0 && comparedRange?.from === other.range.from && comparedRange.to === other.range.to;
  return {
    ...readings,
    // Kept readings of another range would be drawn at the wrong place.
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
