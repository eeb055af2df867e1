import { describe, expect, it } from 'vitest';
import type { MapMarker } from '@/lib/device/types';
import { clusterIndex, deviceFeature, type Feature, featuresIn, inAlarm, presenceOf } from './clusters';

const world = { west: -180, south: -85, east: 180, north: 85 };

const marker = (name: string, latitude: number, longitude: number, change: Partial<MapMarker> = {}): MapMarker => ({
  deviceName: name,
  noteName: name,
  groupId: 1,
  latitude,
  longitude,
  onlineState: 1,
  ...change,
});

const near = [
  marker('a', 37.8571, 27.3412),
  marker('b', 37.8572, 27.3413, { onlineState: 0 }),
  marker('c', 37.8573, 27.3414, { alarmLevel: 2 }),
];
const far = marker('d', 40, 30);

const clusters = (features: Feature[]) => features.flatMap((feature) => (feature.kind === 'cluster' ? [feature] : []));

describe('clusters', () => {
  it('consist of devices that are close on the screen, with their sums and bounding box', () => {
    const features = featuresIn(clusterIndex([...near, far], []), world, 10);
    expect(features).toHaveLength(2);
    expect(features.find(({ kind }) => kind === 'device')).toMatchObject({ key: 'device d', marker: far });
    const [cluster] = clusters(features);
    expect(cluster).toMatchObject({ count: 3, online: 2, alarms: 1 });
    expect(cluster?.box.south).toBeCloseTo(37.8571, 6);
    expect(cluster?.box.north).toBeCloseTo(37.8573, 6);
    expect(cluster?.box.west).toBeCloseTo(27.3412, 6);
    expect(cluster?.box.east).toBeCloseTo(27.3414, 6);
  });

  it('split up at close zooms', () => {
    const features = featuresIn(clusterIndex(near, []), world, 19);
    expect(features.map(({ key }) => key).sort()).toEqual(['device a', 'device b', 'device c']);
  });

  it('split up even if all devices have the same position', () => {
    const twins = [marker('a', 1, 1), marker('b', 1, 1)];
    expect(clusters(featuresIn(clusterIndex(twins, []), world, 17))).toHaveLength(1);
    expect(clusters(featuresIn(clusterIndex(twins, []), world, 18))).toHaveLength(0);
  });

  it('of the server are clustered further if they would overlap', () => {
    const box = { west: 27, south: 37, east: 27.1, north: 37.1 };
    const made = (longitude: number, count: number, alarmCount = 0) => ({
      longitude,
      latitude: 37.05,
      count,
      onlineCount: count - 1,
      alarmCount,
      ...box,
      east: longitude,
    });
    const index = clusterIndex([], [made(27.05, 400), made(27.06, 300, 2)]);
    const [together] = clusters(featuresIn(index, world, 8));
    expect(together).toMatchObject({ count: 700, online: 698, alarms: 2, box: { ...box, east: 27.06 } });
    const apart = clusters(featuresIn(index, world, 14));
    expect(apart.map(({ count }) => count).sort()).toEqual([300, 400]);
    expect(new Set(apart.map(({ key }) => key)).size).toBe(2);
  });

  it('hold devices on both sides of the date line, with a box across it', () => {
    const index = clusterIndex([marker('a', -16.85, 179.99), marker('b', -16.85, -179.97), far], []);
    for (const view of [world, { west: 178, south: -18, east: -178, north: -15 }]) {
      const [cluster, ...others] = clusters(featuresIn(index, view, 8));
      expect(others).toEqual([]);
      expect(cluster).toMatchObject({ count: 2, box: { west: 179.99, east: -179.97 } });
      expect(cluster?.place.longitude).toBeCloseTo(-179.99, 4);
    }
    const apart = featuresIn(index, { west: 178, south: -18, east: -178, north: -15 }, 18);
    expect(apart.map(({ key }) => key).sort()).toEqual(['device a', 'device b']);
    expect(featuresIn(index, { west: -178, south: -18, east: 178, north: -15 }, 8)).toEqual([]);
  });

  it('of the server are joined across the date line', () => {
    const made = (longitude: number) => ({
      longitude,
      latitude: 0,
      count: 9,
      onlineCount: 9,
      alarmCount: 0,
      west: longitude - 0.01,
      south: 0,
      east: longitude + 0.01,
      north: 0,
    });
    const [together] = clusters(featuresIn(clusterIndex([], [made(179.95), made(-179.95)]), world, 5));
    expect(together?.count).toBe(18);
    expect(together?.box.west).toBeCloseTo(179.94, 9);
    expect(together?.box.east).toBeCloseTo(-179.94, 9);
  });

  it('are only those of the view', () => {
    const index = clusterIndex([...near, far], []);
    expect(featuresIn(index, { west: 29, south: 39, east: 31, north: 41 }, 10)).toHaveLength(1);
  });
});

describe('what a mark shows', () => {
  const cluster = (online: number, alarms: number): Feature => ({
    kind: 'cluster',
    key: 'c',
    place: { latitude: 0, longitude: 0 },
    count: 3,
    online,
    alarms,
    box: world,
  });
  const one = (change: Partial<MapMarker>): Feature => deviceFeature(marker('d', 0, 0, change));

  it.each([
    [one({}), 'online', false],
    [one({ onlineState: 0 }), 'offline', false],
    [one({ alarmLevel: 2 }), 'online', true],
    // An alarm hides nothing of the presence.
    [one({ onlineState: 0, alarmLevel: 0 }), 'offline', true],
    [cluster(1, 0), 'online', false],
    [cluster(0, 0), 'offline', false],
    [cluster(0, 1), 'offline', true],
    [cluster(3, 1), 'online', true],
  ])('%#', (feature, presence, alarm) => {
    expect([presenceOf(feature), inAlarm(feature)]).toEqual([presence, alarm]);
  });
});
