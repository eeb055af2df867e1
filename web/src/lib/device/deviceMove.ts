import type { Query, QueryClient } from '@tanstack/react-query';
import { deviceKeys } from './queries';
import type { Device, DeviceMap, Group } from './types';

/** A device in the scene, and at the place, that somebody gave it. */
export type DeviceMove = Pick<Device, 'deviceName' | 'groupId' | 'latitude' | 'longitude'>;

/**
 * Shows a device where somebody put it in every list and on the map at once, before either is asked for anew: the answers come one
 * after the other, and between them a device would stand in two scenes.
 */
export function applyDeviceMove(client: QueryClient, before: Device, moved: DeviceMove): void {
  // Lists of some devices only, which have a further word in their keys, are asked for anew.
  const unfilteredGroups = {
    queryKey: deviceKeys.kind('groups'),
    predicate: ({ queryKey }: Query) => queryKey.length === 3,
  };
  client.setQueriesData<Group[]>(unfilteredGroups, (groups) => groups && moveBetweenGroups(groups, before, moved));
  client.setQueriesData<DeviceMap>({ queryKey: deviceKeys.kind('map') }, (map) => map && moveOnMap(map, moved));
}

function moveBetweenGroups(groups: Group[], before: Device, moved: DeviceMove): Group[] {
  const { deviceName, groupId } = moved;
  const listed = groups.flatMap(({ deviceList }) => deviceList).find((one) => one.deviceName === deviceName) ?? before;
  if (listed.groupId === groupId) return groups;
  return groups.map((group) => {
    if (group.id === listed.groupId) {
      const deviceList = group.deviceList.filter((one) => one.deviceName !== deviceName);
      return { ...group, deviceCount: group.deviceCount - 1, deviceList };
    }
    if (group.id !== groupId) return group;
    // Where in the list it belongs the server says a moment later.
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
