import type { Position } from 'geojson';
import { nearestCopy } from './copies';

/** A closed ring in longitudes that go on beyond ±180 where it crosses the date line. */
interface Unrolled {
  points: Position[];
  west: number;
  east: number;
}

/**
 * Follows a ring over the date line. A ring around a pole, as Antarctica's, ends 360 degrees from
 * its start: it is closed along the pole's latitude.
 */
function unroll(ring: readonly Position[]): Unrolled {
  const points: Position[] = [];
  let last = ring[0]?.[0] ?? 0;
  const start = last;
  let latitudes = 0;
  for (const [longitude = 0, latitude = 0] of ring) {
    last = nearestCopy(longitude, last);
    latitudes += latitude;
    points.push([last, latitude]);
  }
  if (Math.abs(last - start) > 180) {
    const pole = latitudes < 0 ? -90 : 90;
    points.push([last, pole], [(last + start) / 2, pole], [start, pole], [start, ring[0]?.[1] ?? 0]);
  }
  const longitudes = points.map(([longitude = 0]) => longitude);
  return { points, west: Math.min(...longitudes), east: Math.max(...longitudes) };
}

/** The part of a closed ring on one side of a meridian, closed along it. */
function sideOf(ring: readonly Position[], meridian: number, side: 1 | -1): Position[] {
  const part: Position[] = [];
  ring.forEach(([x = 0, y = 0], i) => {
    const inside = (x - meridian) * side >= 0;
    const [beforeX = 0, beforeY = 0] = ring[i - 1] ?? [x, y];
    if (inside !== (beforeX - meridian) * side >= 0) {
      part.push([meridian, beforeY + ((meridian - beforeX) / (x - beforeX)) * (y - beforeY)]);
    }
    if (inside) part.push([x, y]);
  });
  const [first, last] = [part[0], part.at(-1)];
  if (first && last && (first[0] !== last[0] || first[1] !== last[1])) part.push([...first]);
  return part;
}

/** The part of a ring in one copy of the world, within ±180; undefined if it has no area there. */
function partOf({ points, west, east }: Unrolled, world: number): Position[] | undefined {
  const [from, to] = [world * 360 - 180, world * 360 + 180];
  if (east <= from || west >= to) return undefined;
  const eastern = west < from ? sideOf(points, from, 1) : points;
  const part = east > to ? sideOf(eastern, to, -1) : eastern;
  return part.map(([longitude = 0, latitude = 0]) => [longitude - world * 360, latitude]);
}

/**
 * Cuts a piece of land, its outline and its inland waters, at the date line: one or more pieces
 * whose edges all lie within ±180, as a flat map needs them. Fill them even-odd: where the outline
 * crosses the line several times, parts of a side are connected along it.
 */
export function cutAtDateLine([outline, ...waters]: readonly Position[][]): Position[][][] {
  if (!outline) return [];
  const land = unroll(outline);
  const inland = waters.map((ring) => {
    const water = unroll(ring);
    // In the copy of the world in which the outline was followed.
    const shift = 360 * Math.ceil((land.west - water.west) / 360);
    const points = water.points.map(([longitude = 0, latitude = 0]) => [longitude + shift, latitude]);
    return { points, west: water.west + shift, east: water.east + shift };
  });
  const pieces: Position[][][] = [];
  for (let world = Math.floor((land.west + 180) / 360); world * 360 - 180 < land.east; world++) {
    const rings = [land, ...inland].flatMap((ring) => {
      const part = partOf(ring, world);
      return part ? [part] : [];
    });
    if (rings.length > 0) pieces.push(rings);
  }
  return pieces;
}

const onDateLine = ([longitude = 0]: Position) => Math.abs(longitude) === 180;

/**
 * The shores of a piece that ends at the date line: its rings without the edges along that line,
 * which are no shores. Undefined if there are no such edges.
 */
export function shoresOf(rings: readonly Position[][]): Position[][] | undefined {
  let isCut = false;
  const shores: Position[][] = [];
  for (const ring of rings) {
    let shore: Position[] = [];
    ring.forEach((point, i) => {
      const before = ring[i - 1];
      if (before && onDateLine(before) && onDateLine(point)) {
        isCut = true;
        if (shore.length > 1) shores.push(shore);
        shore = [];
      }
      shore.push(point);
    });
    if (shore.length > 1) shores.push(shore);
  }
  return isCut ? shores : undefined;
}
