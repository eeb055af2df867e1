import type { Point } from './hull';

/** A name with its candidate positions for its centre, the best first, in pixels. */
export interface Label {
  id: number;
  text: string;
  spots: readonly Point[];
  /** The size of the named thing: larger things are placed first. */
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

/**
 * Wide enough for most letters of the supported scripts at 11.5 px; Chinese ones are twice as wide.
 */
function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) width += letter > '\u2e80' ? 12 : 6.6;
  return Math.min(width, 190);
}

/**
 * Places the names that neither cover each other nor lie below a mark, those of larger things
 * first. If only marks are in the way of all spots, a name takes its first spot; if a name is in
 * the way, it is left out until the user zooms in.
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
