import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { device, group } from '@/test/telemetryServer';
import { applyDeviceMove } from './deviceMove';
import { deviceKeys } from './queries';
import type { DeviceMap, Group } from './types';

const mast = device({ deviceName: 'WS-1', groupId: 1, latitude: 37.8, longitude: 27.3 });
const other = device({ deviceName: 'WS-2', groupId: 2, latitude: 37.9, longitude: 27.4 });
const groups = (): Group[] => [
  group({ id: 0, deviceCount: 0, deviceList: [] }),
  group({ id: 1, groupName: 'North orchard', deviceCount: 1, deviceList: [mast] }),
  group({ id: 2, groupName: 'Terrace', deviceCount: 1, deviceList: [other] }),
];
const markerOf = ({ deviceName, groupId, onlineState, latitude = 0, longitude = 0 }: typeof mast) => ({
  deviceName,
  noteName: '',
  groupId,
  onlineState,
  latitude,
  longitude,
});

function known() {
  const client = new QueryClient();
  const map: DeviceMap = { markers: [mast, other].map(markerOf), clusters: [], total: 2, unplaced: 0 };
  client.setQueryData(deviceKeys.groups('en-us'), groups());
  client.setQueryData(deviceKeys.map(null), map);
  return {
    client,
    scenes: () =>
      client
        .getQueryData<Group[]>(deviceKeys.groups('en-us'))
        ?.map(({ id, deviceCount, deviceList }) => [id, deviceCount, deviceList.map((device) => device.deviceName)]),
    markers: () => client.getQueryData<DeviceMap>(deviceKeys.map(null)),
  };
}

it('a device moved to another scene appears there in the list and on the map at once', () => {
  const { client, scenes, markers } = known();
  applyDeviceMove(client, mast, { ...mast, groupId: 2 });
  expect(scenes()).toEqual([
    [0, 0, []],
    [1, 0, []],
    [2, 2, ['WS-1', 'WS-2']],
  ]);
  expect(client.getQueryData<Group[]>(deviceKeys.groups('en-us'))?.[2]?.deviceList[0]).toMatchObject({
    groupId: 2,
    groupName: 'Terrace',
  });
  expect(markers()?.markers.map(({ groupId }) => groupId)).toEqual([2, 2]);
});

it('a device beyond a list’s first page is counted in its group', () => {
  const { client, scenes } = known();
  const far = device({ deviceName: 'WS-900', groupId: 2 });
  applyDeviceMove(client, far, { ...far, groupId: 1 });
  expect(scenes()?.slice(1)).toEqual([
    [1, 2, ['WS-900', 'WS-1']],
    [2, 0, ['WS-2']],
  ]);
});

it('a device moved on the map appears there, and disappears when its position is removed', () => {
  const { client, markers } = known();
  applyDeviceMove(client, mast, { ...mast, latitude: 40, longitude: 30 });
  expect(markers()?.markers[0]).toMatchObject({ latitude: 40, longitude: 30 });
  applyDeviceMove(client, mast, { ...mast, latitude: undefined, longitude: undefined });
  expect(markers()).toMatchObject({ markers: [{ deviceName: 'WS-2' }], unplaced: 1 });
});
