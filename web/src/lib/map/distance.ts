import type { Place } from './place';

const earthRadius = 6_371_008.8;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Metres between two places, along the ground. */
export function metresBetween(a: Place, b: Place): number {
  const [lat, lng] = [radians(b.latitude - a.latitude) / 2, radians(b.longitude - a.longitude) / 2];
  const share = Math.sin(lat) ** 2 + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(lng) ** 2;
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(share)));
}
