import L from 'leaflet';
import { afterEach, describe, expect, it } from 'vitest';
import { addTiles, createBaseMap, type MapTiles, setDragging, toLatLng, toPlace } from './baseMap';
import { defaultPlace } from './place';

const tiles: MapTiles = {
  url: 'https://tiles.example/{z}/{x}/{y}.png',
  attribution: '© <b>Somebody</b>',
  datum: 'WGS-84',
};
let remove: (() => void) | undefined;

function make() {
  const container = document.createElement('div');
  document.body.append(container);
  const map = createBaseMap(container);
  remove = () => {
    map.remove();
    container.remove();
  };
  return { map, container };
}

afterEach(() => {
  remove?.();
  remove = undefined;
});

describe('the base map', () => {
  it('shows the default place at first', () => {
    const { map } = make();
    expect(map.getCenter()).toMatchObject({ lat: 36.6, lng: 114.48 });
    expect(map.getZoom()).toBe(5);
  });

  it('lets one finger scroll the page on a phone', () => {
    const { map } = make();
    setDragging(map, true);
    expect(map.dragging.enabled()).toBe(false);
    setDragging(map, false);
    expect(map.dragging.enabled()).toBe(true);
  });

  it('shows the attribution as text, never as HTML', () => {
    const { map, container } = make();
    const stop = addTiles(map, tiles, () => undefined);
    const attribution = container.querySelector('.leaflet-control-attribution');
    expect(attribution).toHaveTextContent('© <b>Somebody</b>');
    expect(attribution?.querySelector('b')).toBeNull();
    stop();
    expect(container.querySelector('.leaflet-control-attribution')).toBeNull();
  });

  it('links words of the attribution', () => {
    const { map, container } = make();
    const links = [
      { words: 'Roads', url: 'https://roads.example/copyright' },
      { words: 'Style', url: 'https://style.example/?a=1&b="' },
      { words: 'Nobody', url: 'https://nobody.example/' },
    ];
    addTiles(map, { ...tiles, attribution: '© Roads, <i>SRTM</i> | © Style (CC)', links }, () => undefined);
    const attribution = container.querySelector('.leaflet-control-attribution');
    expect(attribution).toHaveTextContent('© Roads, <i>SRTM</i> | © Style (CC)');
    const linked = [...(attribution?.querySelectorAll('a') ?? [])];
    expect(linked.map(({ textContent, target, rel }) => [textContent, target, rel])).toEqual([
      ['Roads', '_blank', 'noopener'],
      ['Style', '_blank', 'noopener'],
    ]);
    expect(linked.map((link) => link.getAttribute('href'))).toEqual([links[0]?.url, links[1]?.url]);
  });

  it('enlarges the closest tiles that the server has', () => {
    const { map, container } = make();
    map.setView([36.6, 114.48], 19, { animate: false });
    const zooms = () => [...container.querySelectorAll('img')].map(({ src }) => new URL(src).pathname.split('/')[1]);
    const stop = addTiles(map, { ...tiles, maxZoom: 17 }, () => undefined);
    expect(new Set(zooms())).toEqual(new Set(['17']));
    stop();
    addTiles(map, tiles, () => undefined);
    expect(new Set(zooms())).toEqual(new Set(['18']));
  });

  it('shifts positions for tiles in GCJ-02 only', () => {
    expect(toLatLng(defaultPlace, null, 0)).toEqual([36.6, 114.48]);
    expect(toLatLng(defaultPlace, tiles, 0)).toEqual([36.6, 114.48]);
    const [latitude, longitude] = toLatLng(defaultPlace, { ...tiles, datum: 'GCJ-02' }, 0);
    expect(latitude).not.toBe(36.6);
    expect(Math.abs(longitude - 114.48)).toBeLessThan(0.01);
  });

  it('draws a place beside the middle of the map, across the date line too', () => {
    expect(toLatLng({ latitude: -16.8, longitude: -179.75 }, null, 179)).toEqual([-16.8, 180.25]);
    expect(toPlace(L.latLng(-16.8, 180.25), null)).toEqual({ latitude: -16.8, longitude: -179.75 });
    expect(toPlace(L.latLng(-16.8, -180.5), null)).toEqual({ latitude: -16.8, longitude: 179.5 });
  });

  it('returns the position at a point', () => {
    expect(toPlace(L.latLng(37.85691234, 27.34088789), null)).toEqual({ latitude: 37.856912, longitude: 27.340888 });
    // Once around the world it is the same place, and latitudes end at the poles.
    expect(toPlace(L.latLng(95, 27.5 + 360), null)).toEqual({ latitude: 90, longitude: 27.5 });
    const gcj02: MapTiles = { ...tiles, datum: 'GCJ-02' };
    const { latitude, longitude } = toPlace(L.latLng(toLatLng(defaultPlace, gcj02, 0)), gcj02);
    expect(latitude).toBeCloseTo(36.6, 6);
    expect(longitude).toBeCloseTo(114.48, 6);
  });
});
