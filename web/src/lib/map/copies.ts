import type L from 'leaflet';

/**
 * The map repeats the world every 360 degrees, so each place has a copy beside every other place:
 * 180.2° is -179.8° seen from Fiji. Positions are stored within ±180; these functions say which
 * copy of them is meant.
 */

/** The longitude of the copy that is nearest to another longitude; beside 0, it is within ±180. */
export function nearestCopy(longitude: number, to: number): number {
  return longitude + 360 * Math.round((to - longitude) / 360);
}

/** The middle of the shortest arc that holds all longitudes, within ±180. */
export function middleOf(longitudes: readonly number[]): number {
  const sorted = longitudes.map((longitude) => nearestCopy(longitude, 0)).sort((a, b) => a - b);
  const [first = 0] = sorted;
  // The arc begins behind the widest gap.
  let [west, widest] = [first, 0];
  sorted.forEach((longitude, i) => {
    const next = sorted[i + 1];
    const gap = (next ?? first + 360) - longitude;
    if (gap >= widest) [west, widest] = [next ?? first, gap];
  });
  return sorted.length === 0 ? 0 : nearestCopy(west + (360 - widest) / 2, 0);
}

/** The copies of points that are neighbours of each other, as near to a longitude as they can be. */
export function together(points: readonly L.LatLngTuple[], near: number): L.LatLngTuple[] {
  const middle = nearestCopy(middleOf(points.map(([, longitude]) => longitude)), near);
  return points.map(([latitude, longitude]) => [latitude, nearestCopy(longitude, middle)]);
}

/** By how many degrees to shift what lies from west to east for each of its copies between two longitudes. */
export function shiftsBetween(west: number, east: number, from: number, to: number): number[] {
  const [first, last] = [Math.ceil((from - east) / 360), Math.floor((to - west) / 360)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * 360);
}
