import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Language } from '@/lib/i18n/i18n';
import { type Attribute, attributesOf } from './attributes';
import { type Comparison, comparisonSource } from './compare';
import { tslQuery } from './queries';
import type { Span } from './range';

interface ComparisonSourceParams {
  language: Language;
  deviceName: string;
  comparison: Comparison;
  range: Span;
  attributes: readonly Attribute[];
  all: readonly Attribute[];
}

/**
 * The comparison for chart, table and export: its device and range, and the attributes that both
 * have.
 */
export function useComparisonSource({
  language,
  deviceName,
  comparison,
  range,
  attributes,
  all,
}: ComparisonSourceParams) {
  const { from, to } = range;
  const other = useMemo(
    () => comparisonSource(comparison, deviceName, { from, to }),
    [comparison, deviceName, from, to],
  );
  const foreign = comparison.with === 'device';
  const tsl = useQuery({ ...tslQuery(language, other?.deviceName ?? ''), enabled: foreign });
  const otherAttributes = useMemo(
    () => (foreign ? attributesOf(tsl.data?.propertie ?? []) : all),
    [foreign, tsl.data, all],
  );
  const shared = useMemo(
    () =>
      attributes.filter(({ id, unit, kind }) =>
        otherAttributes.some(
          (otherAttribute) => otherAttribute.id === id && otherAttribute.unit === unit && otherAttribute.kind === kind,
        ),
      ),
    [attributes, otherAttributes],
  );
  return {
    other,
    shared,
    otherAttributes,
    /** The other device's attributes are still loading. */
    pending: foreign && !tsl.data,
    error: foreign ? tsl.error : null,
    retry: () => {
      if (tsl.isError) void tsl.refetch();
    },
    /** The other device has none of the shown attributes. */
    nothingShared: foreign && tsl.isSuccess && attributes.length > 0 && shared.length === 0,
  };
}
