import type { Point } from '@/lib/map/hull';

const apart = 18;
/** More than these do not stand well on a circle. */
const mostOnCircle = 8;
/** Turned by this from one to the next, seeds fill a sunflower evenly. */
const goldenAngle = Math.PI * (3 - Math.sqrt(5));

/**
 * How far to draw each mark beside its place, so that marks of one place do not hide each other: a few on a circle around it, many
 * as the seeds of a sunflower.
 */
export function spread(points: readonly Point[]): Point[] {
  const places = new Map<string, number[]>();
  points.forEach(({ x, y }, i) => {
    const key = `${Math.round(x)} ${Math.round(y)}`;
    places.set(key, [...(places.get(key) ?? []), i]);
  });
  const offsets: Point[] = points.map(() => ({ x: 0, y: 0 }));
  for (const members of places.values()) {
    const count = members.length;
    if (count < 2) continue;
    const few = count <= mostOnCircle;
    members.forEach((member, i) => {
      const angle = few ? (2 * Math.PI * i) / count - Math.PI / 2 : i * goldenAngle;
      const radius = few ? Math.max(apart / 2, (count * apart) / (2 * Math.PI)) : 0.62 * apart * Math.sqrt(i + 0.5);
      offsets[member] = { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
    });
  }
  return offsets;
}
