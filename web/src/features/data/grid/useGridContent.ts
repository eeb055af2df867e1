import {
  keepPreviousData,
  type QueryClient,
  type UseQueryResult,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { knownDevices } from '@/lib/device/live/applyToCache';
import { groupsQuery, maxNames, namedQuery, pageQuery, pageSize } from '@/lib/device/queries';
import { type Device, type DevicePage, nameOf } from '@/lib/device/types';
import { useLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import type { Choice } from '../choice';
import type { OnlineFilter } from '../useChoice';
import { gridContentOf, visibleCameras } from './sections';
import { useStreamless } from './useStreamless';

/** The serials of all cameras contain this text, so a search for it finds them. */
const cameraSerialPart = 'SXT';

const combinePages = (results: UseQueryResult<DevicePage>[]) => ({
  devices: results.flatMap(({ data }) => data?.list ?? []),
  ready: results.every(({ data, isPlaceholderData }) => data !== undefined && !isPlaceholderData),
  failed: results.filter(({ isError }) => isError) as UseQueryResult<unknown>[],
});

/**
 * Determines which cards there are and where: the groups, the cameras and the picked devices. The
 * cards fetch their own data.
 */
export function useGridContent(choice: Choice, state: OnlineFilter) {
  const client = useQueryClient();
  const language = useLanguage((store) => store.language);
  const groups = useQuery({ ...groupsQuery(language), placeholderData: keepPreviousData });
  const cameras = useCameras();

  const names = useMemo(() => [...choice.devices, ...choice.except].sort(), [choice.devices, choice.except]);
  const chunks = Array.from({ length: Math.ceil(names.length / maxNames) }, (_, i) =>
    names.slice(i * maxNames, (i + 1) * maxNames),
  );
  const picked = useQueries({
    // Devices that were ticked in a list are in the cache, so their cards appear at once.
    queries: chunks.map((chunk) => ({
      ...namedQuery(language, chunk),
      placeholderData: () => cachedDevices(client, chunk),
    })),
    combine: combinePages,
  });
  const named = useMemo(() => {
    // Sorted here, so that the order does not depend on where the devices came from.
    const { compare } = new Intl.Collator(descriptors[language].intl, { numeric: true });
    const sorted = [...picked.devices].sort((a, b) => compare(nameOf(a), nameOf(b)) || a.id - b.id);
    return new Map(sorted.map((device) => [device.deviceName, device] as const));
  }, [picked.devices, language]);

  const seen = useMemo(() => {
    if (!groups.data || !cameras.ready) return undefined;
    return visibleCameras({ groups: groups.data, choice, state, cameras: cameras.devices });
  }, [groups.data, cameras, choice, state]);
  const { names: streamless, ready, onReach } = useStreamless(seen);

  const shown = useMemo(() => {
    if (!groups.data || !cameras.ready || !ready) return undefined;
    return gridContentOf({ groups: groups.data, choice, state, cameras: cameras.devices, named, streamless });
  }, [groups.data, cameras, choice, state, named, streamless, ready]);

  return { groups, shown, onReach, named, pickedReady: picked.ready, failed: [...cameras.failed, ...picked.failed] };
}

function cachedDevices(client: QueryClient, names: readonly string[]): DevicePage {
  const known = knownDevices(client);
  const list = names.flatMap((name) => known.get(name) ?? []);
  return { list, total: list.length };
}

function useCameras() {
  const language = useLanguage((store) => store.language);
  const filter = { deviceName: cameraSerialPart };
  const first = useQuery(pageQuery(language, filter, 1));
  const pages = Math.max(1, Math.ceil((first.data?.total ?? 0) / pageSize));
  const found = useQueries({
    queries: Array.from({ length: pages }, (_, i) => pageQuery(language, filter, i + 1)),
    combine: combinePages,
  });
  // A sensor's name may contain the text too; the server's type decides.
  const devices = useMemo(() => found.devices.filter(({ type }: Device) => type === 2), [found.devices]);
  return useMemo(() => ({ ...found, devices }), [found, devices]);
}
