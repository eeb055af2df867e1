import type { Query, QueryClient } from '@tanstack/react-query';
import { overviewQuery } from '@/lib/http/queries';
import { deviceKeys } from '../queries';
import type { Device, DeviceMap, DevicePage, Group, Latest, Overview, Series } from '../types';
import {
  applyToDay,
  applyToDevice,
  applyToGroups,
  applyToLatest,
  applyToMap,
  applyToOverview,
  applyToPage,
} from './apply';
import type { Changes } from './changes';

/** One query's data after the events; undefined for a query that they do not affect. */
function applyToData(query: Query, changes: Changes): unknown {
  const { data } = query.state;
  const [area, kind] = query.queryKey;
  if (area === overviewQuery().queryKey[0]) return applyToOverview(data as Overview, changes);
  if (area !== deviceKeys.all[0]) return undefined;
  switch (kind) {
    case 'groups':
      return applyToGroups(data as Group[], changes);
    case 'page':
      return applyToPage(data as DevicePage, changes);
    case 'device':
      return data === null ? null : applyToDevice(data as Device, changes);
    case 'latest':
      return applyToLatest(data as Latest, query.queryKey[3] as string, changes);
    case 'day':
      return applyToDay(data as Series, query.queryKey[2] as string, changes);
    case 'map':
      return applyToMap(data as DeviceMap, changes, query.queryKey[3] as string | undefined);
    default:
      return undefined;
  }
}

export function applyToQuery(client: QueryClient, query: Query, changes: Changes): void {
  // Without data there is nothing to change. A failed query stays failed, so that it is refetched.
  if (query.state.data === undefined || query.state.status === 'error') return;
  const data = applyToData(query, changes);
  if (data !== undefined && data !== query.state.data) client.setQueryData(query.queryKey, data);
}

export function applyToCache(client: QueryClient, changes: Changes): void {
  const cache = client.getQueryCache();
  for (const query of cache.findAll({ queryKey: overviewQuery().queryKey })) applyToQuery(client, query, changes);
  for (const query of cache.findAll({ queryKey: deviceKeys.all })) applyToQuery(client, query, changes);
}

/** Every device in any cached list, by name. */
export function knownDevices(client: QueryClient): Map<string, Device> {
  const known = new Map<string, Device>();
  const add = (device: Device) => known.set(device.deviceName, device);
  for (const [, groups] of client.getQueriesData<Group[]>({ queryKey: deviceKeys.kind('groups') })) {
    for (const group of groups ?? []) group.deviceList.forEach(add);
  }
  for (const [, page] of client.getQueriesData<DevicePage>({ queryKey: deviceKeys.kind('page') }))
    page?.list.forEach(add);
  for (const [, device] of client.getQueriesData<Device | null>({ queryKey: deviceKeys.kind('device') })) {
    if (device) add(device);
  }
  return known;
}
