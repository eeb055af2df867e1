import { type Layout, layout, type Measures, type Place, type Span } from './layout';
import type { ShownGroup } from './sections';

export interface GroupMeasures extends Measures {
  /** The height of a group's head. */
  head: number;
  /** The room between two groups. */
  groupGap: number;
}

/** A sensor's card that shows all its readings, and so is higher. */
export interface OpenedCard {
  groupId: number;
  /** Its position among the sensors of its group. */
  index: number;
  /** By how much it is higher, in pixels. */
  extra: number;
}

/** A group and where its cards are, in pixels from the top of its list. */
export interface PlacedGroup extends ShownGroup {
  folded: boolean;
  /** The top of the group's head, in pixels from the top of the grid. */
  top: number;
  /** The top of its list. */
  listTop: number;
  /** The first of its sensors among those of all groups that are not folded. */
  start: number;
  cards: Layout;
}

/** Places the groups one below the other. */
export function groupLayouts(
  groups: readonly ShownGroup[],
  folded: ReadonlySet<number>,
  opened: readonly OpenedCard[],
  measures: GroupMeasures,
): { placed: PlacedGroup[]; height: number } {
  let top = 0;
  let start = 0;
  const placed = groups.map((shown): PlacedGroup => {
    const { group, videos, section } = shown;
    const isFolded = folded.has(group.id);
    const sensors = section?.count ?? 0;
    const own = opened.filter(({ groupId, index }) => groupId === group.id && index < sensors);
    const cards = isFolded ? layout(0, 0, measures) : withOpened(layout(videos.length, sensors, measures), own);
    const at: PlacedGroup = { ...shown, folded: isFolded, top, listTop: top + measures.head, start, cards };
    top = at.listTop + cards.height + measures.groupGap;
    if (!isFolded) start += sensors;
    return at;
  });
  return { placed, height: Math.max(0, top - measures.groupGap) };
}

/** Moves the cards below opened ones down. A row is moved by the highest card above it. */
function withOpened(cards: Layout, opened: readonly OpenedCard[]): Layout {
  if (opened.length === 0) return cards;
  const rows = new Map<number, number>();
  for (const { index, extra } of opened) {
    const { top } = cards.sensor(index);
    rows.set(top, Math.max(rows.get(top) ?? 0, extra));
  }
  const total = [...rows.values()].reduce((sum, extra) => sum + extra, 0);
  const above = (top: number) => [...rows].reduce((sum, [row, extra]) => (row < top ? sum + extra : sum), 0);
  const moved = (place: Place): Place => ({ ...place, top: place.top + above(place.top) });
  return {
    height: cards.height + total,
    step: cards.step,
    video: (index) => moved(cards.video(index)),
    sensor: (index) => {
      const place = moved(cards.sensor(index));
      const own = opened.find((card) => card.index === index);
      return own ? { ...place, height: place.height + own.extra } : place;
    },
    // A few cards more than are in view, above and below.
    within: (top, bottom) => cards.within(top - total, bottom),
  };
}

/** The sensors in view among those of all groups that are not folded. */
export function sensorsInView(groups: readonly PlacedGroup[], spans: readonly { sensors: Span }[]): Span {
  const ends = groups.flatMap(({ start }, i) => {
    const own = spans[i]?.sensors;
    return own && own.from < own.to ? [{ from: start + own.from, to: start + own.to }] : [];
  });
  return { from: ends[0]?.from ?? 0, to: ends.at(-1)?.to ?? 0 };
}
