import type { Point } from '@/lib/map/hull';

/** The distance in pixels between the middles of two marks that do not touch. */
export const markSpacing = 18;

/** A cluster stands for many positions, so it is moved away from the chosen device. */
const chosenSpacing = 34;

export function makeRoom(cluster: Point, chosen: Point): Point {
  const [x, y] = [cluster.x - chosen.x, cluster.y - chosen.y];
  const distance = Math.hypot(x, y);
  if (distance >= chosenSpacing) return { x: 0, y: 0 };
  // They coincide, so any direction will do.
  if (distance < 1) return { x: 0, y: -chosenSpacing };
  const further = chosenSpacing / distance - 1;
  return { x: x * further, y: y * further };
}

/** The n-th position around a point, ring by ring: 1, 6, 12, 18 … positions. */
function ringPosition(n: number): Point {
  if (n === 0) return { x: 0, y: 0 };
  const ring = Math.ceil((Math.sqrt(12 * n + 9) - 3) / 6);
  const angle = ((n - 3 * ring * (ring - 1) - 1) / (6 * ring)) * 2 * Math.PI - Math.PI / 2;
  return { x: ring * markSpacing * Math.cos(angle), y: ring * markSpacing * Math.sin(angle) };
}

/** The marks that are already placed, indexed by the square of the plane that they lie in. */
class OccupiedSquares {
  private readonly squares = new Map<number, Point[]>();

  add(point: Point): void {
    const square = squareOf(point);
    const own = this.squares.get(square);
    if (own) own.push(point);
    else this.squares.set(square, [point]);
  }

  touches({ x, y }: Point): boolean {
    const [column, line] = [Math.floor(x / markSpacing), Math.floor(y / markSpacing)];
    for (const [dx, dy] of neighbourSquares) {
      const near = this.squares.get((column + dx) * row + line + dy);
      if (!near) continue;
      for (const other of near) {
        const [beside, above] = [other.x - x, other.y - y];
        // Neighbours on a ring have exactly the minimum distance, less the rounding error.
        if (beside * beside + above * above < minDistanceSquared) return true;
      }
    }
    return false;
  }
}

/** The square itself comes first, since with many marks it is usually the occupied one. */
const neighbourSquares = [0, -1, 1].flatMap((dx) => [0, -1, 1].map((dy) => [dx, dy] as const));
const minDistanceSquared = (markSpacing - 0.01) ** 2;

/** At the closest zoom, a row of the world has fewer squares than this. */
const row = 2 ** 25;

function squareOf({ x, y }: Point): number {
  return Math.floor(x / markSpacing) * row + Math.floor(y / markSpacing);
}

/**
 * How far to draw each mark from its position, so that no two marks touch. In their order, marks
 * take their own position or the nearest free one around it. The result is deterministic.
 */
export function spread(points: readonly Point[]): Point[] {
  const occupied = new OccupiedSquares();
  // Ring positions that were occupied for one mark of a square are skipped for its other marks;
  // without this, many marks at one place would be slow.
  const tried = new Map<number, number>();
  return points.map((point) => {
    const square = squareOf(point);
    let n = 0;
    let offset = ringPosition(n);
    let put = point;
    while (occupied.touches(put)) {
      n = Math.max(n + 1, tried.get(square) ?? 0);
      tried.set(square, n + 1);
      offset = ringPosition(n);
      put = { x: point.x + offset.x, y: point.y + offset.y };
    }
    occupied.add(put);
    return offset;
  });
}
