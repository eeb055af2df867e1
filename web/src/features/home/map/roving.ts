import type { Point } from '@/lib/map/hull';

const directions: Record<string, Point> = {
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
};

export function isDirection(key: string): boolean {
  return key in directions;
}

/**
 * The point that somebody means who looks from one point in the direction of an arrow key: near, and not far beside it. Its index,
 * or -1 when nothing lies that way.
 */
export function nextInDirection(points: readonly Point[], from: Point, key: string): number {
  const direction = directions[key];
  if (!direction) return -1;
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  points.forEach((point, i) => {
    const [x, y] = [point.x - from.x, point.y - from.y];
    const ahead = x * direction.x + y * direction.y;
    const beside = Math.abs(x * direction.y) + Math.abs(y * direction.x);
    // More beside than ahead belongs to another arrow.
    if (ahead <= 0 || beside > ahead * 2) return;
    const distance = ahead + 2 * beside;
    if (distance < least) {
      least = distance;
      best = i;
    }
  });
  return best;
}
