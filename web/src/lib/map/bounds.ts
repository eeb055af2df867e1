import L from 'leaflet';
import { together } from './copies';
import type { Place } from './place';

/** A part of the world in degrees; if west is greater than east, it lies across the date line. */
export interface Box {
  west: number;
  south: number;
  east: number;
  north: number;
}

/** Whether a place lies in a box. */
export function isInBox({ west, south, east, north }: Box, { latitude, longitude }: Place): boolean {
  if (latitude < south || latitude > north) return false;
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
}

/**
 * The smallest bounds around places and boxes, across the date line if that is shorter, in the copy
 * of the world near a longitude; null if there is nothing.
 */
export function boundsOfAll(
  places: readonly Place[],
  boxes: readonly Box[],
  at: (place: Place) => L.LatLngTuple,
  near: number,
): L.LatLngBounds | null {
  const corners = boxes.flatMap(({ west, south, east, north }) => [
    { latitude: south, longitude: west },
    { latitude: north, longitude: east },
  ]);
  const points = [...places, ...corners].map(at);
  return points.length === 0 ? null : L.latLngBounds(together(points, near));
}
