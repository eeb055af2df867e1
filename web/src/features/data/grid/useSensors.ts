import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { pageQuery } from '@/lib/device/queries';
import type { Device, DevicePage } from '@/lib/device/types';
import { useLanguage } from '@/lib/i18n/i18n';
import type { Span } from './layout';
import { devicesOf, pagesFor, partsOf, type Section } from './sections';

/** A place in the grid and its device; undefined while the device is loading. */
export interface Slot {
  index: number;
  device: Device | undefined;
}

/** The time of the oldest answer: no card is older. */
function oldestUpdate(results: UseQueryResult<DevicePage>[]): number | undefined {
  const times = results.flatMap(({ dataUpdatedAt }) => (dataUpdatedAt > 0 ? [dataUpdatedAt] : []));
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** The sensors of a range of the grid. Only their pages are fetched. */
export function useSensors(sections: readonly Section[], span: Span) {
  const language = useLanguage((store) => store.language);
  const parts = useMemo(() => partsOf(sections, span), [sections, span]);
  const pageRequests = useMemo(
    () =>
      parts.flatMap(({ section, part }) =>
        section.kind === 'list'
          ? []
          : pagesFor(section, part).map((pageNo) => ({ key: section.key, filter: section.filter, pageNo })),
      ),
    [parts],
  );
  const combine = useCallback(
    (results: UseQueryResult<DevicePage>[]) => ({
      pages: new Map(pageRequests.map(({ key, pageNo }, i) => [`${key} ${pageNo}`, results[i]?.data?.list])),
      updatedAt: oldestUpdate(results),
      failed: results.filter(({ isError }) => isError) as UseQueryResult<unknown>[],
    }),
    [pageRequests],
  );
  const { pages, updatedAt, failed } = useQueries({
    queries: pageRequests.map(({ filter, pageNo }) => pageQuery(language, filter, pageNo)),
    combine,
  });
  const slots = useMemo(
    () =>
      parts.flatMap(({ section, start, part }) =>
        devicesOf(section, part, (pageNo) => pages.get(`${section.key} ${pageNo}`)).map(
          (device, i): Slot => ({ index: start + part.from + i, device }),
        ),
      ),
    [parts, pages],
  );
  return { slots, updatedAt, failed };
}
