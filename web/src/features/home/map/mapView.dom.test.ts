import L from 'leaflet';
import { describe, expect, it } from 'vitest';
import type { DeviceMap, MapMarker } from '@/lib/device/types';
import type { Place } from '@/lib/map/place';
import { device, group } from '@/test/telemetryServer';
import { clusterIndex } from './clusters';
import { devicesIn, devicesOf, marksOf, placesOf, sceneList, viewOf } from './mapView';

const marker = (name: string, groupId: number, latitude: number, longitude: number): MapMarker => ({
  deviceName: name,
  noteName: '',
  groupId,
  latitude,
  longitude,
  onlineState: 1,
});
const told = (count: number) => ` · ${count}`;
const map = (change: Partial<DeviceMap>): DeviceMap => ({
  markers: [],
  clusters: [],
  total: 0,
  unplaced: 0,
  ...change,
});
const flat = ({ latitude, longitude }: Place) => ({ x: longitude * 1000, y: -latitude * 1000 });
const world = { west: -180, south: -85, east: 180, north: 85, zoom: 5 };

describe('the view', () => {
  const shown = (latitude: number, longitude: number, zoom: number) => {
    const container = document.createElement('div');
    Object.defineProperties(container, { clientWidth: { value: 512 }, clientHeight: { value: 512 } });
    const shownMap = L.map(container, { zoomAnimation: false }).setView([latitude, longitude], zoom);
    const view = viewOf(shownMap);
    shownMap.remove();
    return view;
  };

  // 512 pixels and a quarter of them on each side are 768, of the 2,048 of the world at zoom 3.
  it.each([
    [45, 3, -22.5, 112.5],
    [180, 3, 112.5, -112.5],
    [-157.5, 3, 135, -90],
    [562.5, 3, 135, -90],
    [10, 1, -180, 180],
  ])('around %d at zoom %d goes from %d to %d', (longitude, zoom, west, east) => {
    expect(shown(0, longitude, zoom)).toMatchObject({ west, east, zoom });
  });
});

describe('scenes on the map', () => {
  const groups = [
    group({ id: 0, groupName: '', deviceCount: 1 }),
    group({ id: 1, groupName: 'North orchard', deviceCount: 64 }),
    group({ id: 2, groupName: 'Cellar', deviceCount: 2 }),
  ];
  const markers = [marker('a', 0, 1, 1), marker('b', 1, 2, 2), marker('c', 1, 3, 3)];

  it('are those with devices that have a position; the default group is none', () => {
    expect(sceneList(groups, markers, false, told)).toEqual([
      {
        id: 1,
        name: 'North orchard',
        count: ' · 64',
        places: [
          { latitude: 2, longitude: 2 },
          { latitude: 3, longitude: 3 },
        ],
      },
    ]);
  });

  it('of a clustered map are those of which all devices are known', () => {
    expect(sceneList(groups, markers, true, told)).toEqual([]);
    const whole = [marker('d', 2, 1, 1), marker('e', 2, 1, 2)];
    expect(sceneList(groups, whole, true, told).map(({ id }) => id)).toEqual([2]);
  });
});

describe('the chosen device', () => {
  const data = map({ markers: [marker('a', 1, 37.8, 27.3), marker('b', 1, 37.8, 27.3)] });
  const without = clusterIndex(data.markers.slice(1), []);

  it('is a mark of its own with its current data', () => {
    const chosen = device({ deviceName: 'a', latitude: 37.8, longitude: 27.3, onlineState: 0 });
    const features = marksOf(data, without, world, 'a', chosen, flat);
    expect(features.map(({ key }) => key)).toEqual(['device b', 'device a']);
    expect(features[1]).toMatchObject({ marker: { onlineState: 0 } });
  });

  it('is a mark of its own also while it is loading, and none without a position', () => {
    expect(marksOf(data, without, world, 'a', undefined, flat).map(({ key }) => key)).toEqual(['device b', 'device a']);
    expect(marksOf(map({}), clusterIndex([], []), world, 'z', undefined, flat)).toEqual([]);
  });
});

describe('a map without clusters', () => {
  const many = Array.from({ length: 2000 }, (_, i) => marker(`d${i}`, 1, 37.8 + (i % 50) / 1e4, 27.3 + i / 1e6));
  const view = { west: 27.2, south: 37.7, east: 27.4, north: 37.9, zoom: 5 };

  it('has a mark for each of two thousand devices, however close they are', () => {
    const devices = devicesOf(many, flat);
    const features = devicesIn(devices, view, undefined);
    expect(features.map(({ kind }) => kind)).toEqual(Array.from({ length: 2000 }, () => 'device'));
    expect(new Set(features.map(({ key }) => key)).size).toBe(2000);
    const spots = new Set(devices.map(({ offset }) => `${offset.x.toFixed(1)} ${offset.y.toFixed(1)}`));
    expect(spots.size).toBeGreaterThan(1000);
  });

  it('spreads them by name, regardless of their order and of the chosen device', () => {
    const offsetOf = (name: string, markers: readonly MapMarker[]) =>
      devicesOf(markers, flat).find((mark) => mark.marker.deviceName === name)?.offset;
    expect(offsetOf('d77', [...many].reverse())).toEqual(offsetOf('d77', many));
    const chosen = device({ deviceName: 'd77', latitude: many[77]?.latitude, longitude: many[77]?.longitude });
    const shown = devicesIn(devicesOf(many, flat), view, chosen);
    expect(shown.at(-1)).toMatchObject({ key: 'device d77', offset: offsetOf('d77', many) });
    expect(shown).toHaveLength(2000);
  });

  it('is spread anew when a device moves, not when its presence or alarm changes', () => {
    const [first, ...others] = many;
    const changed = (change: Partial<MapMarker>) => placesOf([{ ...(first as MapMarker), ...change }, ...others]);
    expect(changed({ onlineState: 0, alarmLevel: 2, noteName: 'Mast', groupId: 9 })).toBe(placesOf(many));
    expect(changed({ latitude: 37 })).not.toBe(placesOf(many));
  });

  it('draws those of the view, and the chosen device at its current position', () => {
    const devices = devicesOf([marker('a', 1, 37.8, 27.3), marker('far', 1, 0, 0)], flat);
    expect(devicesIn(devices, view, undefined).map(({ key }) => key)).toEqual(['device a']);
    const moved = device({ deviceName: 'far', latitude: 37.8, longitude: 27.35, onlineState: 0 });
    expect(devicesIn(devices, view, moved)[1]).toMatchObject({
      place: { latitude: 37.8, longitude: 27.35 },
      marker: { onlineState: 0 },
    });
  });

  it('draws devices on both sides of the date line where the view crosses it', () => {
    const devices = devicesOf(
      [marker('taveuni', 1, -16.85, -179.97), marker('labasa', 1, -16.43, 179.37), marker('far', 1, -16, 0)],
      flat,
    );
    const fiji = { west: 178, south: -18, east: -178, north: -15, zoom: 9 };
    expect(devicesIn(devices, fiji, undefined).map(({ key }) => key)).toEqual(['device taveuni', 'device labasa']);
  });
});
