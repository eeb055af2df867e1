import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Device, Group } from '@/lib/device/types';
import { groupRows } from './rows';
import { useMoreDevices } from './useMoreDevices';

/**
 * The state of a group tree: which groups are open, at first all, and their devices beyond the
 * first hundred. `device` is the selected device, once known.
 */
export function useGroupRows(groups: readonly Group[], device?: Device, selected?: string, takesRule?: number) {
  const [turned, setTurned] = useState<Readonly<Record<number, boolean>>>({});
  const { more, load } = useMoreDevices(groups, takesRule);
  // An empty default group would only say that it is empty, above everything else.
  const isOpen = useCallback(({ id, deviceCount }: Group) => turned[id] ?? (id !== 0 || deviceCount > 0), [turned]);
  const rows = useMemo(() => groupRows(groups, isOpen, more, device), [groups, isOpen, more, device]);

  // The group of a device selected elsewhere opens. The user may close it again.
  const home = device?.deviceName === selected ? device?.groupId : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each selection, also within one group
  useEffect(() => {
    if (home !== undefined) setTurned((before) => ({ ...before, [home]: true }));
  }, [selected, home]);

  return {
    rows,
    onToggle: (id: number) => {
      const group = groups.find((entry) => entry.id === id);
      if (group) setTurned((before) => ({ ...before, [id]: !isOpen(group) }));
    },
    onMore: (source: number | 'search') => {
      if (source !== 'search') load(source);
    },
  };
}
