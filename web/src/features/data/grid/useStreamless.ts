import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Device } from '@/lib/device/types';
import { useDataSaver } from '@/lib/storage/dataSaver';
import { type Video, videoPrefetchQuery } from '../video/queries';

/** How many cameras are queried before the first card is rendered, and beyond those in view. */
const prefetchCount = 24;

export interface Streamless {
  /**
   * Names of the cameras without a stream; a camera that has not been queried yet counts as having
   * one.
   */
  names: ReadonlySet<string>;
  /** Whether enough is known for the first cards to keep their positions. */
  ready: boolean;
  /**
   * Reports the last camera in view, so that the next ones are queried before they come into view.
   */
  onReach: (camera: Device) => void;
}

/**
 * Finds the cameras without a stream: their cards are as low as those of sensors. `cameras` is
 * undefined while they are loading.
 */
export function useStreamless(cameras: readonly Device[] | undefined): Streamless {
  const [reached, setReached] = useState<ReadonlySet<string>>(new Set());
  const [begun, setBegun] = useState(false);
  const last = (cameras ?? []).reduce((found, { deviceName }, i) => (reached.has(deviceName) ? i + 1 : found), 0);
  // With the data saver nothing is queried: each camera then has room for the picture that the user
  // may load.
  const dataSaver = useDataSaver();
  const prefetched = dataSaver ? [] : (cameras ?? []).slice(0, last + prefetchCount);
  const askedKey = prefetched.map(({ deviceName }) => deviceName).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: askedKey represents the queried cameras
  const combine = useCallback(
    (results: UseQueryResult<Video>[]) => ({
      none: prefetched.flatMap(({ deviceName }, i) => (results[i]?.data?.kind === 'none' ? [deviceName] : [])),
      settled: results.every(({ isPending }) => !isPending),
    }),
    [askedKey],
  );
  const { none, settled } = useQueries({
    queries: prefetched.map(({ deviceName }) => videoPrefetchQuery(deviceName)),
    combine,
  });
  const names = useMemo(() => new Set(none), [none]);
  // Once ready, the page does not wait for later cameras.
  const ready = begun || (cameras !== undefined && settled);
  if (ready && !begun) setBegun(true);

  const onReach = useCallback(
    ({ deviceName }: Device) =>
      setReached((before) => (before.has(deviceName) ? before : new Set([...before, deviceName]))),
    [],
  );
  return { names, ready, onReach };
}
