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
 * The index of the point to which an arrow key leads from a given point: the nearest one in that
 * direction, where sideways distance counts double; -1 if there is none.
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
    // A point that is far more to the side than ahead belongs to another arrow key.
    if (ahead <= 0 || beside > ahead * 2) return;
    const distance = ahead + 2 * beside;
    if (distance < least) {
      least = distance;
      best = i;
    }
  });
  return best;
}
