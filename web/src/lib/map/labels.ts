import type { Point } from './hull';

/** A name that wants to stand with its middle at one of some points, the best first, in pixels. */
export interface Label {
  id: number;
  text: string;
  spots: readonly Point[];
  /** Of what it names: larger things are named first. */
  size: number;
}

export interface PlacedLabel extends Point {
  id: number;
  text: string;
}

const height = 16;
const gap = 6;
/** Half the width of a mark. */
const markRadius = 16;

/** Wide enough for most letters of our scripts at 11.5 px; Chinese ones are twice as wide. */
function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += letter > '\u2e80' ? 12 : 6.6;
  return Math.min(width, 190);
}

/**
 * Those names that can stand without covering each other or lying below a mark, the larger things' first. One without such a spot
 * takes its first, if only marks are in the way; covered by a name it is left out until the map is nearer.
 */
export function placeLabels(labels: readonly Label[], marks: readonly Point[]): PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  for (const { id, text, spots } of [...labels].sort((a, b) => b.size - a.size || a.id - b.id)) {
    const half = widthOf(text) / 2;
    const free = (spot: Point) =>
      placed.every((other) => {
        const beside = half + widthOf(other.text) / 2 + gap;
        return Math.abs(spot.x - other.x) >= beside || Math.abs(spot.y - other.y) >= height + gap;
      });
    const clear = (spot: Point) =>
      marks.every(
        (mark) =>
          Math.abs(spot.x - mark.x) >= half + markRadius || Math.abs(spot.y - mark.y) >= height / 2 + markRadius,
      );
    const spot = spots.find((candidate) => free(candidate) && clear(candidate)) ?? spots.find(free);
    if (spot) placed.push({ id, text, x: spot.x, y: spot.y });
  }
  return placed;
}
