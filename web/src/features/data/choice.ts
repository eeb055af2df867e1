import type { Device, Group } from '@/lib/device/types';
import type { Tick } from '@/ui/deviceTree/TickMark';
import type { DataSearch } from './search';

/**
 * Which devices are ticked: whole scenes without the devices in `except`, and single devices
 * besides. If nothing is ticked, all devices are shown.
 */
export interface Choice {
  scenes: ReadonlySet<number>;
  devices: ReadonlySet<string>;
  except: ReadonlySet<string>;
}

type GroupedDevice = Pick<Device, 'deviceName' | 'groupId'>;
/** The group of a device; undefined as long as it is not known. */
export type GroupOf = (deviceName: string) => number | undefined;

export const emptyChoice: Choice = { scenes: new Set(), devices: new Set(), except: new Set() };

export function choiceOf({ scenes, devices, except }: DataSearch): Choice {
  const names = (list: string | undefined) => new Set(list?.split(',').filter(Boolean));
  const ids = [...names(scenes)].map(Number).filter((id) => Number.isInteger(id) && id >= 0);
  return { scenes: new Set(ids), devices: names(devices), except: names(except) };
}

/** The search parameters that represent a choice. */
export function searchOf(choice: Choice): Pick<DataSearch, 'scenes' | 'devices' | 'except'> {
  const list = (items: ReadonlySet<number | string>) => (items.size === 0 ? undefined : [...items].join(','));
  return { scenes: list(choice.scenes), devices: list(choice.devices), except: list(choice.except) };
}

/** Removes scenes that no longer exist: an address may be older than their deletion. */
export function withoutMissingScenes(choice: Choice, groups: readonly Group[]): Choice {
  const ids = new Set(groups.map(({ id }) => id));
  return { ...choice, scenes: new Set([...choice.scenes].filter((id) => ids.has(id))) };
}

export function isEverything({ scenes, devices }: Choice): boolean {
  return scenes.size === 0 && devices.size === 0;
}

export function isTicked(choice: Choice, { deviceName, groupId }: GroupedDevice): boolean {
  if (choice.scenes.has(groupId)) return !choice.except.has(deviceName);
  return choice.devices.has(deviceName);
}

/** Whether a device is shown. */
export function isShown(choice: Choice, device: GroupedDevice): boolean {
  return isEverything(choice) || isTicked(choice, device);
}

export function groupTick(choice: Choice, id: number, groupOf: GroupOf): Tick {
  const wholeScene = choice.scenes.has(id);
  const odd = [...(wholeScene ? choice.except : choice.devices)].some((name) => groupOf(name) === id);
  return odd ? 'mixed' : wholeScene;
}

function without<T>(items: ReadonlySet<T>, item: T): Set<T> {
  return new Set([...items].filter((other) => other !== item));
}

export function toggleDevice(choice: Choice, device: GroupedDevice): Choice {
  const { deviceName } = device;
  const kind = choice.scenes.has(device.groupId) ? 'except' : 'devices';
  const items = choice[kind];
  return { ...choice, [kind]: items.has(deviceName) ? without(items, deviceName) : new Set([...items, deviceName]) };
}

/**
 * Ticks all devices of a group, even if some are ticked already; if all are ticked, unticks them.
 */
export function toggleGroup(choice: Choice, id: number, groupOf: GroupOf): Choice {
  const elsewhere = (names: ReadonlySet<string>) => new Set([...names].filter((name) => groupOf(name) !== id));
  const rest = { devices: elsewhere(choice.devices), except: elsewhere(choice.except) };
  const untick = groupTick(choice, id, groupOf) === true;
  return { ...rest, scenes: untick ? without(choice.scenes, id) : new Set([...choice.scenes, id]) };
}
