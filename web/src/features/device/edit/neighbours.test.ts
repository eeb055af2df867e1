import { expect, it } from 'vitest';
import type { Scene } from '@/lib/device/scenes';
import type { MapMarker } from '@/lib/device/types';
import { neighbours } from './neighbours';

const marker = (deviceName: string, groupId: number): MapMarker => ({
  deviceName,
  noteName: '',
  groupId,
  onlineState: 1,
  latitude: 1,
  longitude: 2,
});
const scene = (id: number, groupName: string): Scene => ({
  id,
  groupName,
  groupStatus: 1,
  deviceCount: 1,
  onlineCount: 1,
  createTime: 0,
});
const scenes = [scene(1, 'North'), scene(2, 'South')];
const map = { markers: [marker('A', 1), marker('B', 1), marker('C', 0), marker('own', 2)], clusters: [], total: 4 };

it('draws the scenes around their other devices, without the moved pin', () => {
  const drawn = neighbours({ ...map, unplaced: 0 }, scenes, 'own');
  expect(drawn.map(({ name, places }) => [name, places.length])).toEqual([['North', 2]]);
});

it('draws none if the map does not contain every device', () => {
  const cluster = {
    latitude: 1,
    longitude: 1,
    count: 9,
    onlineCount: 9,
    alarmCount: 0,
    west: 1,
    south: 1,
    east: 2,
    north: 2,
  };
  expect(neighbours({ ...map, clusters: [cluster], unplaced: 0 }, scenes, 'own')).toEqual([]);
  expect(neighbours(undefined, scenes, 'own')).toEqual([]);
});
