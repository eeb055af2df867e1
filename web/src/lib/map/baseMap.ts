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
 * requires. `onMissing` is called for each tile that does not arrive.
 */
export function addTiles(map: L.Map, tiles: MapTiles, onMissing: () => void): () => void {
  const layer = L.tileLayer(tiles.url, {
    maxZoom: closestZoom,
    maxNativeZoom: tiles.maxZoom ?? 18,
    className: css.tiles ?? '',
    // Tile servers tell by it who uses them, and some refuse requests without it. All other requests
    // of the console go without, as the server's Referrer-Policy says.
    referrerPolicy: 'origin',
  });
  layer.on('tileerror', onMissing).addTo(map);
  const attribution = L.control.attribution({ prefix: false, position: 'bottomleft' }).addTo(map);
  attribution.addAttribution(attributionOf(tiles));
  return () => {
    layer.remove();
    attribution.remove();
  };
}

/** The attribution as HTML. It is a setting, not trusted markup: text, of which some words are links. */
function attributionOf({ attribution, links = [] }: MapTiles): string {
  const holder = document.createElement('span');
  let rest = attribution;
  for (const { words, url } of links) {
    const at = rest.indexOf(words);
    if (at < 0) continue;
    const link = document.createElement('a');
    link.href = url;
    link.target = '_blank';
    link.rel = 'noopener';
    link.textContent = words;
    holder.append(rest.slice(0, at), link);
    rest = rest.slice(at + words.length);
  }
  holder.append(rest);
  return holder.innerHTML;
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
