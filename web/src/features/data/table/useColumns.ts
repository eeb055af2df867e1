import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { components } from '@/api/schema.gen';
import { modelQuery } from '@/lib/device/queries';
import type { Device } from '@/lib/device/types';
import { useLanguage } from '@/lib/i18n/i18n';
import { columnsOf, productsOf, type QuantityColumn } from './columns';

type Tsl = components['schemas']['Tsl'];

const combine = (results: UseQueryResult<Tsl>[]) => ({
  models: results.map(({ data }) => data?.propertie),
  pending: results.some(({ isPending }) => isPending),
  failed: results.filter(({ isError }) => isError) as UseQueryResult<unknown>[],
});

/** The columns for the products of some devices. */
export function useColumns(devices: readonly Device[]): {
  columns: readonly QuantityColumn[];
  pending: boolean;
  failed: UseQueryResult<unknown>[];
} {
  const language = useLanguage((store) => store.language);
  const products = useMemo(() => productsOf(devices), [devices]);
  const { models, pending, failed } = useQueries({
    queries: products.map((device) => modelQuery(language, device)),
    combine,
  });
  // The devices change with every reading, their products do not.
  const key = products.map(({ productId, mainSign }) => `${productId} ${mainSign}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the products
  const columns = useMemo(
    () =>
      columnsOf(
        products.flatMap(({ mainSign }, i) => {
          const properties = models[i];
          return properties ? [{ mainSign, properties }] : [];
        }),
      ),
    [key, models],
  );
  return { columns, pending, failed };
}
