import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { knownDevices } from '@/lib/device/live/applyToCache';
import { deviceQuery } from '@/lib/device/queries';
import type { Device, Group } from '@/lib/device/types';
import { useLanguage } from '@/lib/i18n/i18n';
import { firstDevice } from '@/ui/deviceTree/rows';
import type { AttentionItem } from './attention/queries';

export interface Selection {
  /** The deviceName that list, map and panels share; undefined while there is nothing to select. */
  name: string | undefined;
  /** The device: undefined while it is loading, null if the tenant has no device of that name. */
  device: Device | null | undefined;
  select: (deviceName: string) => void;
}

/**
 * The selected device. It is kept in the address, so that it survives a reload and can be shared;
 * the default is the device that needs a person most, or else the list's first one. The default is
 * chosen once: the selection does not move when alarms come and go. `urgent` is undefined until it is
 * known what needs a person.
 */
export function useSelection(groups: Group[] | undefined, urgent: readonly AttentionItem[] | undefined): Selection {
  const { device: given } = useSearch({ strict: false });
  const navigate = useNavigate();
  const client = useQueryClient();
  const language = useLanguage((state) => state.language);

  const [chosen, setChosen] = useState<string>();
  if (chosen === undefined && groups && urgent) {
    const worst = urgent[0]?.deviceName ?? firstDevice(groups)?.deviceName;
    if (worst !== undefined) setChosen(worst);
  }
  const name = given ?? chosen;
  const listed = groups?.flatMap(({ deviceList }) => deviceList).find(({ deviceName }) => deviceName === name);

  // A device beyond the first hundred of its group is fetched by name.
  const fetched = useQuery({
    ...deviceQuery(language, name ?? ''),
    enabled: name !== undefined && groups !== undefined && !listed,
    placeholderData: () => knownDevices(client).get(name ?? ''),
  });

  const select = useCallback(
    (deviceName: string) => {
      void navigate({
        to: '.',
        search: (before) => ({ ...before, device: deviceName }),
        replace: true,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return { name, device: name === undefined ? undefined : (listed ?? fetched.data), select };
}
