import { act, renderHook } from '@testing-library/react';
import L from 'leaflet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeviceMap } from '@/lib/device/types';
import type { Place } from '@/lib/map/place';
import { useFit } from './useFit';

const at = ({ latitude, longitude }: Place): L.LatLngTuple => [latitude, longitude];
const spreadDevices = (latitude: number, longitude: number): DeviceMap => ({
  markers: [
    { deviceName: 'a', noteName: '', groupId: 1, onlineState: 1, latitude, longitude },
    {
      deviceName: 'b',
      noteName: '',
      groupId: 1,
      onlineState: 1,
      latitude: latitude + 0.01,
      longitude: longitude + 0.01,
    },
  ],
  clusters: [],
  total: 2,
  unplaced: 0,
});
const noPlaces: DeviceMap = { markers: [], clusters: [], total: 0, unplaced: 3 };

let container: HTMLElement;
let map: L.Map;
let size: { width: number; height: number };
let covered: number;
const coveredPixels = () => covered;

beforeEach(() => {
  size = { width: 528, height: 668 };
  covered = 44;
  container = document.createElement('div');
  Object.defineProperties(container, {
    clientWidth: { get: () => size.width },
    clientHeight: { get: () => size.height },
  });
  document.body.append(container);
  map = L.map(container, { zoomAnimation: false, fadeAnimation: false, zoomSnap: 0.5 }).setView([36.6, 114.48], 5);
});

afterEach(() => {
  map.remove();
  container.remove();
});

const renderFit = (data: DeviceMap | undefined) =>
  renderHook(({ shown }: { shown: DeviceMap | undefined }) => useFit(map, shown, at, coveredPixels), {
    initialProps: { shown: data },
  });
const resize = (width: number, height: number) =>
  act(() => {
    size = { width, height };
    map.invalidateSize({ pan: false, animate: false });
  });
const shows = (latitude: number, longitude: number) => map.getBounds().contains([latitude, longitude]);

describe('the first view', () => {
  it('shows every device that has a position, once', () => {
    const { rerender } = renderFit(undefined);
    expect(map.getZoom()).toBe(5);
    rerender({ shown: spreadDevices(37.85, 27.34) });
    expect(shows(37.85, 27.34) && shows(37.86, 27.35)).toBe(true);
    expect(map.getZoom()).toBeGreaterThan(13);
    map.setView([0, 0], 3, { animate: false });
    rerender({ shown: spreadDevices(37.9, 27.4) });
    expect(map.getZoom()).toBe(3);
  });

  it('shows devices on both sides of the date line as neighbours', () => {
    const fiji = spreadDevices(-16.85, 179.995);
    const [a, b] = fiji.markers as [DeviceMap['markers'][0], DeviceMap['markers'][0]];
    renderFit({ ...fiji, markers: [a, { ...b, longitude: -179.995 }] });
    expect(map.getZoom()).toBeGreaterThan(13);
    expect(map.getCenter().lng).toBeCloseTo(180, 3);
    expect(shows(-16.85, 179.995) && shows(-16.84, 180.005)).toBe(true);
  });

  it('is the default position if nothing has a position', () => {
    map.setView([0, 0], 3, { animate: false });
    renderFit(noPlaces);
    expect(map.getCenter()).toMatchObject({ lat: 36.6, lng: 114.48 });
    expect(map.getZoom()).toBe(5);
  });

  it('does not zoom in on a single device beyond its field', () => {
    const one = spreadDevices(37.85, 27.34);
    renderFit({ ...one, markers: one.markers.slice(0, 1) });
    expect(map.getZoom()).toBe(16);
  });

  it('keeps everything in view when the frame is resized, until the user has moved the map', () => {
    renderFit(spreadDevices(37.85, 27.34));
    resize(366, 248);
    expect(shows(37.85, 27.34) && shows(37.86, 27.35)).toBe(true);
    map.setView([37.855, 27.345], 18, { animate: false });
    resize(528, 668);
    expect(map.getZoom()).toBe(18);
  });

  it('leaves the area below the legend free, however many lines it has', () => {
    size = { width: 366, height: 248 };
    map.invalidateSize({ pan: false, animate: false });
    for (const lines of [1, 2, 4]) {
      covered = 22 + 16 * lines;
      const { result, unmount } = renderFit(spreadDevices(37.85, 27.34));
      act(() => result.current.showAll(false));
      // A mark and those that are spread around it.
      expect(map.latLngToContainerPoint([37.86, 27.35]).y).toBeGreaterThanOrEqual(covered + 20);
      unmount();
    }
  });

  it('is restored on request and then follows the frame again', () => {
    const { result } = renderFit(spreadDevices(37.85, 27.34));
    map.setView([10, 10], 4, { animate: false });
    act(() => result.current.showAll(false));
    expect(shows(37.86, 27.35)).toBe(true);
    resize(366, 248);
    expect(shows(37.85, 27.34) && shows(37.86, 27.35)).toBe(true);
  });
});
