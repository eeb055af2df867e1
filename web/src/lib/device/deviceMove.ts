import type { Query, QueryClient } from '@tanstack/react-query';
import { deviceKeys } from './queries';
import type { Device, DeviceMap, Group } from './types';

/** A device with the scene and the position that a user gave it. */
export type DeviceMove = Pick<Device, 'deviceName' | 'groupId' | 'latitude' | 'longitude'>;

/**
 * Moves a device in every cached list and on the map at once, before any of them is refetched: the
 * answers arrive one after the other, and in between the device would be in two scenes.
 */
export function applyDeviceMove(client: QueryClient, before: Device, moved: DeviceMove): void {
  // Filtered lists, which have a further word in their keys, are refetched.
  const unfilteredGroups = {
    queryKey: deviceKeys.kind('groups'),
    predicate: ({ queryKey }: Query) => queryKey.length === 3,
  };
  client.setQueriesData<Group[]>(unfilteredGroups, (groups) => groups && moveBetweenGroups(groups, before, moved));
  client.setQueriesData<DeviceMap>({ queryKey: deviceKeys.kind('map') }, (map) => map && moveOnMap(map, moved));
}

function moveBetweenGroups(groups: Group[], before: Device, moved: DeviceMove): Group[] {
  const { deviceName, groupId } = moved;
  const listed =
    groups.flatMap(({ deviceList }) => deviceList).find((candidate) => candidate.deviceName === deviceName) ?? before;
  if (listed.groupId === groupId) return groups;
  return groups.map((group) => {
    if (group.id === listed.groupId) {
      const deviceList = group.deviceList.filter((candidate) => candidate.deviceName !== deviceName);
      return { ...group, deviceCount: group.deviceCount - 1, deviceList };
    }
    if (group.id !== groupId) return group;
    // The server determines the position in the list a moment later.
    const own = { ...listed, ...moved, groupName: group.groupName };
    return { ...group, deviceCount: group.deviceCount + 1, deviceList: [own, ...group.deviceList] };
  });
}

function moveOnMap(map: DeviceMap, { deviceName, groupId, latitude, longitude }: DeviceMove): DeviceMap {
  const markers = map.markers.flatMap((marker) => {
    if (marker.deviceName !== deviceName) return [marker];
    return latitude === undefined || longitude === undefined ? [] : [{ ...marker, groupId, latitude, longitude }];
  });
  const gone = map.markers.length - markers.length;
  return { ...map, markers, unplaced: map.unplaced + gone };
}
