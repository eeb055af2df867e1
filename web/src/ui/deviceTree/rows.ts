import type { Device, Group } from '@/lib/device/types';

/** The loading state of a list's next hundred. */
export type MoreState = 'idle' | 'loading' | 'failed';

interface RowPlace {
  /** Unique among the rows; stable when others are added or removed. */
  key: string;
  /** The tree level: 1 for groups and for search results, 2 for devices of a group. */
  level: 1 | 2;
  position: number;
  of: number;
}

export type Row = RowPlace &
  (
    | { kind: 'group'; group: Group; open: boolean }
    | { kind: 'device'; device: Device }
    | { kind: 'more'; source: number | 'search'; left: number; state: MoreState }
    | { kind: 'none'; groupId: number }
  );

/** The devices loaded beyond a list's first hundred. */
export interface MoreDevices {
  devices: readonly Device[];
  state: MoreState;
}

export function groupKey(id: number): string {
  return `group-${id}`;
}

function deviceRows(devices: readonly Device[], level: 1 | 2, of: number): Row[] {
  const seen = new Set<number>();
  const rows: Row[] = [];
  for (const device of devices) {
    // Pages shift when a device is added: a device at the boundary of two pages would appear twice.
    if (seen.has(device.id)) continue;
    seen.add(device.id);
    rows.push({ kind: 'device', key: `device-${device.id}`, device, level, position: rows.length + 1, of });
  }
  return rows;
}

/**
 * The list as rows: each group's head and, if it is open, its devices. The selected device is in
 * its group even when its page has not been loaded.
 */
export function groupRows(
  groups: readonly Group[],
  isOpen: (group: Group) => boolean,
  more: ReadonlyMap<number, MoreDevices>,
  chosen: Device | undefined,
): Row[] {
  return groups.flatMap((group, i) => {
    const open = isOpen(group);
    const head: Row = {
      kind: 'group',
      key: groupKey(group.id),
      group,
      open,
      level: 1,
      position: i + 1,
      of: groups.length,
    };
    if (!open) return [head];
    const extra = more.get(group.id);
    const loaded = [...group.deviceList, ...(extra?.devices ?? [])];
    const rows = deviceRows(loaded, 2, group.deviceCount);
    if (rows.length === 0)
      return [head, { kind: 'none', key: `none-${group.id}`, groupId: group.id, level: 2, position: 1, of: 1 }];
    const left = group.deviceCount - rows.length;
    const last = { level: 2, position: group.deviceCount, of: group.deviceCount } as const;
    if (chosen?.groupId === group.id && !loaded.some(({ id }) => id === chosen.id)) {
      rows.push({ kind: 'device', key: `device-${chosen.id}`, device: chosen, ...last, position: rows.length + 1 });
    }
    if (left > 0) {
      const state = extra?.state ?? 'idle';
      rows.push({ kind: 'more', key: `more-${group.id}`, source: group.id, left, state, ...last });
    }
    return [head, ...rows];
  });
}

export function searchRows(found: readonly Device[], total: number, state: MoreState): Row[] {
  const rows = deviceRows(found, 1, total);
  const left = total - rows.length;
  if (left > 0)
    rows.push({
      kind: 'more',
      key: 'more-search',
      source: 'search',
      left,
      state,
      level: 1,
      position: total,
      of: total,
    });
  return rows;
}

/** The initially selected device: the first one that the list shows. */
export function firstDevice(groups: readonly Group[]): Device | undefined {
  return groups.find(({ deviceList }) => deviceList.length > 0)?.deviceList[0];
}
