import { convexHull, type Point } from './hull';

/** A gap that is at least this part of a group's extent lies between two places, not within one. */
const clearGap = 0.35;

interface Part {
  scene: number;
  points: readonly Point[];
  hull: readonly Point[];
}

const partOf = (scene: number, points: readonly Point[]): Part => ({ scene, points, hull: convexHull(points) });

/** Whether a line along one of a's edges separates the two; touching does not count as overlapping. */
function separates(a: readonly Point[], b: readonly Point[]): boolean {
  return a.some((from, i) => {
    const to = a[(i + 1) % a.length] ?? from;
    const normal = { x: to.y - from.y, y: from.x - to.x };
    if (normal.x === 0 && normal.y === 0) return false;
    const along = (points: readonly Point[]) => points.map(({ x, y }) => x * normal.x + y * normal.y);
    const [own, other] = [along(a), along(b)];
    return Math.max(...own) <= Math.min(...other) || Math.max(...other) <= Math.min(...own);
  });
}

const overlap = (a: Part, b: Part) =>
  a.hull.length + b.hull.length > 3 && !separates(a.hull, b.hull) && !separates(b.hull, a.hull);

/** The two sides of the widest gap along an axis, and how wide it is for the longer extent. */
function widestGap(points: readonly Point[]): { width: number; share: number; sides: [Point[], Point[]] } {
  let best = { width: 0, share: 0, sides: [[...points], []] as [Point[], Point[]] };
  const sorted = { x: [...points].sort((a, b) => a.x - b.x), y: [...points].sort((a, b) => a.y - b.y) };
  const extents = (['x', 'y'] as const).map(
    (axis) => (sorted[axis].at(-1)?.[axis] ?? 0) - (sorted[axis][0]?.[axis] ?? 0),
  );
  const extent = Math.max(...extents);
  for (const axis of ['x', 'y'] as const) {
    const line = sorted[axis];
    for (let i = 1; i < line.length && extent > 0; i++) {
      const width = (line[i]?.[axis] ?? 0) - (line[i - 1]?.[axis] ?? 0);
      if (width > best.width) best = { width, share: width / extent, sides: [line.slice(0, i), line.slice(i)] };
    }
  }
  return best;
}

/**
 * The points of each scene in one group, or in several where one outline would stretch across
 * another scene, as when a device of it stands far away. Scenes that are interwoven stay as they
 * are.
 */
export function sceneParts(scenes: readonly (readonly Point[])[]): Point[][][] {
  let parts = scenes.map((points, scene) => partOf(scene, points));
  // Each split takes one clear gap; a scene has few of them.
  for (let split = 0; split < 2 * scenes.length; split++) {
    const crossing = parts.filter((a) => parts.some((b) => a.scene !== b.scene && overlap(a, b)));
    const candidates = crossing
      .map((part) => ({ part, gap: widestGap(part.points) }))
      .filter(({ gap }) => gap.share > clearGap);
    const widest = candidates.reduce<(typeof candidates)[number] | undefined>(
      (best, candidate) => (candidate.gap.width > (best?.gap.width ?? 0) ? candidate : best),
      undefined,
    );
    if (!widest) break;
    const { part, gap } = widest;
    parts = parts.flatMap((other) => (other === part ? gap.sides.map((side) => partOf(part.scene, side)) : [other]));
  }
  return scenes.map((_, scene) =>
    parts
      .filter((part) => part.scene === scene)
      .map(({ points }) => [...points])
      .sort((a, b) => b.length - a.length),
  );
}
