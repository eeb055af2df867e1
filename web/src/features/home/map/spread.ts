import type { Point } from '@/lib/map/hull';

const apart = 18;
/** More than these do not stand well on a circle. */
const mostOnCircle = 8;
/** Turned by this from one to the next, seeds fill a sunflower evenly. */
const goldenAngle = Math.PI * (3 - Math.sqrt(5));

/** A cluster stands for many places, so it makes room for the one device that was chosen among them. */
const fromChosen = 34;

export function makeRoom(cluster: Point, chosen: Point): Point {
  const [x, y] = [cluster.x - chosen.x, cluster.y - chosen.y];
  const distance = Math.hypot(x, y);
  if (distance >= fromChosen) return { x: 0, y: 0 };
  // Straight on top of each other: any way out is as good.
  if (distance < 1) return { x: 0, y: -fromChosen };
  const further = fromChosen / distance - 1;
  return { x: x * further, y: y * further };
}

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
