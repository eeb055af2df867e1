import type { Place } from './place';

/** Semi-major axis and squared eccentricity of the Krasovsky 1940 ellipsoid, on which GCJ-02 is built. */
const axis = 6378245;
const eccentricity2 = 0.006693421622965943;

/** The shift applies roughly within mainland China; elsewhere such maps show WGS-84. */
function isShifted({ latitude, longitude }: Place): boolean {
  return longitude > 72.004 && longitude < 137.8347 && latitude > 0.8293 && latitude < 55.8271;
}

function waves(a: number, b: number): number {
  return 20 * Math.sin(6 * a * Math.PI) + 20 * Math.sin(2 * a * Math.PI) + b;
}

/** Metres northward, before the ellipsoid's curvature. */
function north(x: number, y: number): number {
  const base = -100 + 2 * x + 3 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * Math.sqrt(Math.abs(x));
  const long = 20 * Math.sin(y * Math.PI) + 40 * Math.sin((y / 3) * Math.PI);
  const longest = 160 * Math.sin((y / 12) * Math.PI) + 320 * Math.sin((y * Math.PI) / 30);
  return base + (2 / 3) * (waves(x, 0) + long + longest);
}

/** Metres eastward, likewise. */
function east(x: number, y: number): number {
  const base = 300 + x + 2 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * Math.sqrt(Math.abs(x));
  const long = 20 * Math.sin(x * Math.PI) + 40 * Math.sin((x / 3) * Math.PI);
  const longest = 150 * Math.sin((x / 12) * Math.PI) + 300 * Math.sin((x / 30) * Math.PI);
  return base + (2 / 3) * (waves(x, 0) + long + longest);
}

/**
 * Converts a WGS-84 position to GCJ-02, the datum that maps of China must use: up to 700 m away.
 * For drawing only; stored and displayed positions stay WGS-84.
 */
export function toGcj02(place: Place): Place {
  if (!isShifted(place)) return place;
  const { latitude, longitude } = place;
  const x = longitude - 105;
  const y = latitude - 35;
  const radians = (latitude / 180) * Math.PI;
  const curvature = 1 - eccentricity2 * Math.sin(radians) ** 2;
  const root = Math.sqrt(curvature);
  const perDegreeNorth = ((axis * (1 - eccentricity2)) / (curvature * root)) * (Math.PI / 180);
  const perDegreeEast = (axis / root) * Math.cos(radians) * (Math.PI / 180);
  return { latitude: latitude + north(x, y) / perDegreeNorth, longitude: longitude + east(x, y) / perDegreeEast };
}

/** Converts a position picked on a GCJ-02 map to WGS-84, to less than a centimetre. */
export function fromGcj02(drawn: Place): Place {
  // There is no closed formula; the shift changes so slowly that subtracting it repeatedly
  // converges at once.
  let place = drawn;
  for (let round = 0; round < 8; round++) {
    const there = toGcj02(place);
    place = {
      latitude: place.latitude + drawn.latitude - there.latitude,
      longitude: place.longitude + drawn.longitude - there.longitude,
    };
  }
  return place;
}
