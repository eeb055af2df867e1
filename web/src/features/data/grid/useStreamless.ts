import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { Device } from '@/lib/device/types';
import { useDataSaver } from '@/lib/storage/dataSaver';
import { type Video, videoPrefetchQuery } from '../video/queries';

/** Cameras asked about before the first card is drawn, and beyond those in view. */
const prefetchCount = 24;

export interface Streamless {
  /** Names of the cameras that have no stream; one that is not known yet counts as having one. */
  names: ReadonlySet<string>;
  /** Whether enough is known for the first cards to stay where they are drawn. */
  ready: boolean;
  /** To be told which camera is the last in view, so that those after it are known before they come. */
  onReach: (camera: Device) => void;
}

/** Which of some cameras have no stream set: their cards are as low as those of sensors. `cameras` undefined: not known yet. */
export function useStreamless(cameras: readonly Device[] | undefined): Streamless {
  const [reached, setReached] = useState<ReadonlySet<string>>(new Set());
  const [begun, setBegun] = useState(false);
  const last = (cameras ?? []).reduce((found, { deviceName }, i) => (reached.has(deviceName) ? i + 1 : found), 0);
  // The data saver does without the question: each camera then has room for the picture that may be asked for.
  const dataSaver = useDataSaver();
  const prefetched = dataSaver ? [] : (cameras ?? []).slice(0, last + prefetchCount);
  const askedKey = prefetched.map(({ deviceName }) => deviceName).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the names say all of what is asked
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
  // Later ones do not hold the page up.
  const ready = begun || (cameras !== undefined && settled);
  if (ready && !begun) setBegun(true);

  const onReach = useCallback(
    ({ deviceName }: Device) =>
      setReached((before) => (before.has(deviceName) ? before : new Set([...before, deviceName]))),
    [],
  );
  return { names, ready, onReach };
}
