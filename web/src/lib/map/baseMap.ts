import L from 'leaflet';
import 'leaflet/dist/leaflet.css';
import type { components } from '@/api/schema.gen';
import { reducedMotionQuery } from '@/lib/hooks/useMediaQuery';
import { nearestCopy } from './copies';
import { fromGcj02, toGcj02 } from './gcj02';
import css from './map.module.css';
import { defaultPlace, defaultZoom, type Place } from './place';

export type MapTiles = components['schemas']['MapTiles'];

export const closestZoom = 19;

/**
 * An empty map at the default place, for land or tiles, the graticule and a screen's own layers.
 */
export function createBaseMap(container: HTMLElement): L.Map {
  const map = L.map(container, {
    center: [defaultPlace.latitude, defaultPlace.longitude],
    zoom: defaultZoom,
    minZoom: 2,
    maxZoom: closestZoom,
    zoomControl: false,
    attributionControl: false,
    // Half steps let a view fit its devices closely.
    zoomSnap: 0.5,
    zoomAnimation: !matchMedia(reducedMotionQuery).matches,
    fadeAnimation: false,
  });
  container.classList.add(css.map ?? '');
  return map;
}

/** On a phone one finger scrolls the page and two move the map; elsewhere the mouse drags it. */
export function setDragging(map: L.Map, isPhone: boolean): void {
  if (isPhone) map.dragging.disable();
  else map.dragging.enable();
}

/**
 * Adds tiles, toned down so that the devices stand out, with the attribution that their owner
 * requires.
 */
export function addTiles(map: L.Map, tiles: MapTiles): () => void {
  const layer = L.tileLayer(tiles.url, { maxZoom: closestZoom, maxNativeZoom: 18, className: css.tiles ?? '' }).addTo(
    map,
  );
  const attribution = L.control.attribution({ prefix: false, position: 'bottomleft' }).addTo(map);
  // Attributions are usually links, but this one is a setting, not trusted markup: shown as text.
  const holder = document.createElement('span');
  holder.textContent = tiles.attribution;
  attribution.addAttribution(holder.innerHTML);
  return () => {
    layer.remove();
    attribution.remove();
  };
}

/** Where a position is drawn on this installation's map: its copy nearest to a longitude, as the map's middle. */
export function toLatLng(place: Place, tiles: MapTiles | null, near: number): L.LatLngTuple {
  const { latitude, longitude } = tiles?.datum === 'GCJ-02' ? toGcj02(place) : place;
  return [latitude, nearestCopy(longitude, near)];
}

/** About a decimetre: finer than any map of a field. */
const decimals = 6;

function rounded(degrees: number): number {
  return Number(degrees.toFixed(decimals));
}

/** The position at a point of this installation's map; the inverse of toLatLng. */
export function toPlace(point: L.LatLng, tiles: MapTiles | null): Place {
  // Longitudes beyond the edge of the world wrap around.
  const { lat, lng } = point.wrap();
  const drawn = { latitude: Math.min(90, Math.max(-90, lat)), longitude: lng };
  const { latitude, longitude } = tiles?.datum === 'GCJ-02' ? fromGcj02(drawn) : drawn;
  return { latitude: rounded(latitude), longitude: rounded(longitude) };
}
