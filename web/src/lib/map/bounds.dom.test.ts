import type L from 'leaflet';
import { describe, expect, it } from 'vitest';
import { boundsOfAll, isInBox } from './bounds';
import { toGcj02 } from './gcj02';
import type { Place } from './place';

const place = (latitude: number, longitude: number): Place => ({ latitude, longitude });
const at = ({ latitude, longitude }: Place): L.LatLngTuple => [latitude, longitude];
const sides = (bounds: L.LatLngBounds | null) => [
  bounds?.getSouth(),
  bounds?.getWest(),
  bounds?.getNorth(),
  bounds?.getEast(),
];

describe('the bounds of devices and clusters', () => {
  it('cover each that has a position', () => {
    const box = { west: 27.9, south: 37.9, east: 28.2, north: 38.3 };
    expect(sides(boundsOfAll([place(37.8, 27.3), place(37.9, 27.4)], [box], at, 0))).toEqual([37.8, 27.3, 38.3, 28.2]);
  });

  it('are null if nothing has a position', () => {
    expect(boundsOfAll([], [], at, 0)).toBeNull();
  });

  it('are where the map draws the devices', () => {
    const shifted = (where: Place): L.LatLngTuple => at(toGcj02(where));
    expect(boundsOfAll([place(39.911954, 116.377817)], [], shifted, 0)?.getCenter().lng).toBeCloseTo(116.38405, 4);
  });

  it.each([
    [114.48, 179.5, 180.25],
    [-100, -180.5, -179.75],
  ])('around the date line are narrow, near %d', (near, west, east) => {
    const fiji = [place(-16.5, 179.5), place(-17, -179.75)];
    expect(sides(boundsOfAll(fiji, [], at, near))).toEqual([-17, west, -16.5, east]);
  });

  it('keep a box across the date line together', () => {
    const box = { west: 179.5, south: -17, east: -179.75, north: -16.5 };
    expect(sides(boundsOfAll([], [box], at, 114.48))).toEqual([-17, 179.5, -16.5, 180.25]);
  });
});

describe('a box', () => {
  it.each([
    [170, -170, 0, 179, true],
    [170, -170, 0, -179, true],
    [170, -170, 0, 0, false],
    [170, -170, 50, 179, false],
    [-10, 10, 0, 0, true],
    [-10, 10, 0, 179, false],
  ])('from %d to %d holds %d, %d: %s', (west, east, latitude, longitude, holds) => {
    expect(isInBox({ west, south: -20, east, north: 20 }, place(latitude, longitude))).toBe(holds);
  });
});
