import type { Point } from '@/lib/map/hull';
import type { Feature, Room } from './clusters';

/** Half of the width and height of a value's pill, and of a dot, in pixels. */
const halfPill: Point = { x: 22, y: 12 };
const halfDot: Point = { x: 9, y: 9 };
/** Where a pill may be beside its device's position, the nearest first. */
const pillSpots: readonly Point[] = [
  { x: 0, y: 0 },
  { x: 0, y: -15 },
  { x: 0, y: 15 },
  { x: -24, y: 0 },
  { x: 24, y: 0 },
  { x: -22, y: -18 },
  { x: 22, y: -18 },
  { x: -22, y: 18 },
  { x: 22, y: 18 },
];
/** A name below its mark. */
const halfName: Point = { x: 56, y: 9 };
const nameBelow = 20;
/** With more marks than this in view, nobody could read their names. */
const mostNamed = 60;

interface Area {
  at: Point;
  half: Point;
}

const overlaps = (a: Area, b: Area) =>
  Math.abs(a.at.x - b.at.x) < a.half.x + b.half.x && Math.abs(a.at.y - b.at.y) < a.half.y + b.half.y;

/** The areas that are taken, indexed by squares as wide as the widest of them. */
class TakenAreas {
  private readonly squares = new Map<string, Area[]>();

  private squareOf(x: number, y: number): string {
    return `${x} ${y}`;
  }

  add(area: Area): void {
    const key = this.squareOf(Math.floor(area.at.x / 112), Math.floor(area.at.y / 112));
    const own = this.squares.get(key);
    if (own) own.push(area);
    else this.squares.set(key, [area]);
  }

  frees(area: Area, except?: Area): boolean {
    const [column, line] = [Math.floor(area.at.x / 112), Math.floor(area.at.y / 112)];
    for (const x of [column - 1, column, column + 1]) {
      for (const y of [line - 1, line, line + 1]) {
        if (this.squares.get(this.squareOf(x, y))?.some((other) => other !== except && overlaps(area, other)))
          return false;
      }
    }
    return true;
  }
}

/**
 * Gives devices with a value the room for a pill, and at a close zoom devices the room for their
 * name, where nothing else is: the selected device first, then those in alarm by their level.
 */
export function withRoom(
  features: readonly Feature[],
  pointOf: (feature: Feature) => Point,
  selected: string | undefined,
  named: boolean,
): Feature[] {
  const taken = new TakenAreas();
  const areas = new Map<Feature, Area>();
  for (const feature of features) {
    const area = { at: pointOf(feature), half: feature.kind === 'device' ? halfDot : { x: 20, y: 20 } };
    areas.set(feature, area);
    taken.add(area);
  }
  const rank = (feature: Feature) =>
    feature.kind === 'cluster' ? 9 : feature.marker.deviceName === selected ? -9 : -(feature.marker.alarmLevel ?? -1);
  const rooms = new Map<Feature, Room>();
  const shifts = new Map<Feature, Point>();
  const ordered = [...features].sort((a, b) => rank(a) - rank(b));
  for (const feature of ordered) {
    const dot = areas.get(feature);
    if (feature.kind !== 'device' || !dot || feature.marker.reading === undefined) continue;
    const spot = pillSpots.find(({ x, y }) =>
      taken.frees({ at: { x: dot.at.x + x, y: dot.at.y + y }, half: halfPill }, dot),
    );
    if (!spot) continue;
    dot.at = { x: dot.at.x + spot.x, y: dot.at.y + spot.y };
    taken.add({ at: dot.at, half: halfPill });
    rooms.set(feature, { pill: true, name: false });
    shifts.set(feature, spot);
  }
  if (named && features.length <= mostNamed) {
    for (const feature of ordered) {
      const dot = areas.get(feature);
      if (feature.kind !== 'device' || !dot) continue;
      const name = { at: { x: dot.at.x, y: dot.at.y + nameBelow }, half: halfName };
      if (!taken.frees({ at: { x: name.at.x, y: name.at.y + 4 }, half: { x: halfName.x, y: 5 } }, dot)) continue;
      taken.add(name);
      rooms.set(feature, { pill: rooms.get(feature)?.pill ?? false, name: true });
    }
  }
  return features.map((feature) => {
    const room = rooms.get(feature);
    if (feature.kind !== 'device' || !room) return feature;
    const { x, y } = shifts.get(feature) ?? { x: 0, y: 0 };
    return { ...feature, room, offset: { x: feature.offset.x + x, y: feature.offset.y + y } };
  });
}

/** The names of devices as marks that the names of scenes avoid. */
export function namePoints(features: readonly Feature[]) {
  return features.flatMap((feature) =>
    feature.kind === 'device' && feature.room?.name
      ? [{ place: feature.place, offset: { x: feature.offset.x, y: feature.offset.y + nameBelow } }]
      : [],
  );
}
