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
export function useGridContent(choice: Choice, state: OnlineFilter, text: string) {
  const client = useQueryClient();
  const language = useLanguage((store) => store.language);
  const groups = useQuery({ ...groupsQuery(language), placeholderData: keepPreviousData });
  const found = useQuery({
    ...groupsQuery(language, undefined, text),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });
  // Until the first answer to a search the cards stay as they were.
  const searched = text !== '' && found.data !== undefined;
  const counted = searched ? found.data : groups.data;
  const wanted = searched ? text : '';
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
    if (!counted || !cameras.ready) return undefined;
    return visibleCameras({ groups: counted, choice, state, cameras: cameras.devices, text: wanted });
  }, [counted, cameras, choice, state, wanted]);
  const { names: streamless, ready, onReach } = useStreamless(seen);

  const shown = useMemo(() => {
    if (!counted || !cameras.ready || !ready) return undefined;
    const source = { groups: counted, choice, state, cameras: cameras.devices, named, streamless, text: wanted };
    return gridContentOf(source);
  }, [counted, cameras, choice, state, named, streamless, ready, wanted]);
  /** The same devices without a place of their own for cameras: the rows of the table. */
  const rows = useMemo(() => {
    if (!counted || !cameras.ready) return undefined;
    const all = new Set(cameras.devices.map(({ deviceName }) => deviceName));
    return gridContentOf({ groups: counted, choice, state, cameras: [], named, streamless: all, text: wanted });
  }, [counted, cameras, choice, state, named, wanted]);

  return {
    groups,
    shown,
    rows,
    onReach,
    named,
    pickedReady: picked.ready && !found.isPlaceholderData,
    failed: [...cameras.failed, ...picked.failed, ...(found.isError ? [found as UseQueryResult<unknown>] : [])],
  };
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
