export interface Point {
  x: number;
  y: number;
}

function crossProduct(a: Point, b: Point, c: Point): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

function halfHull(points: readonly Point[]): Point[] {
  const chain: Point[] = [];
  for (const point of points) {
    while (chain.length >= 2) {
      const [before, last] = [chain[chain.length - 2], chain[chain.length - 1]];
      if (!before || !last || crossProduct(before, last, point) > 0) break;
      chain.pop();
    }
    chain.push(point);
  }
  chain.pop();
  return chain;
}

/**
 * The corners of the points' convex hull, in order of rotation; points on its edges are left out.
 */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const distinct = sorted.filter((point, i) => i === 0 || point.x !== sorted[i - 1]?.x || point.y !== sorted[i - 1]?.y);
  if (distinct.length < 3) return distinct;
  return [...halfHull(distinct), ...halfHull(distinct.reverse())];
}

/** Radians between two points of a rounded corner: looks round at every size in use. */
const arcStep = Math.PI / 12;

/**
 * The outline at a distance around the points' convex hull: straight beside its edges, round at its
 * corners. One point gives a circle, two a capsule. Units are the points' own, here pixels.
 */
export function roundedHull(points: readonly Point[], distance: number): Point[] {
  const corners = convexHull(points);
  const count = corners.length;
  const outline: Point[] = [];
  for (let i = 0; i < count; i++) {
    const corner = corners[i];
    const before = corners[(i + count - 1) % count];
    const after = corners[(i + 1) % count];
    if (!corner || !before || !after) continue;
    // The outward normal of an edge is a quarter turn behind its direction.
    const from = count === 1 ? 0 : Math.atan2(corner.y - before.y, corner.x - before.x) - Math.PI / 2;
    let to = count === 1 ? 2 * Math.PI : Math.atan2(after.y - corner.y, after.x - corner.x) - Math.PI / 2;
    while (to < from) to += 2 * Math.PI;
    const steps = Math.max(1, Math.ceil((to - from) / arcStep));
    for (let step = 0; step <= steps; step++) {
      const angle = from + ((to - from) * step) / steps;
      outline.push({ x: corner.x + distance * Math.cos(angle), y: corner.y + distance * Math.sin(angle) });
    }
  }
  return outline;
}
