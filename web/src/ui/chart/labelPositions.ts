/** The horizontal extent of the plots, in pixels. */
export interface HorizontalExtent {
  left: number;
  width: number;
}

/** The vertical extent of one plot. */
interface Box {
  top: number;
  height: number;
}

/** A place in a chart, in pixels. */
export type PlotPoint = readonly [x: number, y: number];

/**
 * The highest and the lowest point of a line in each pixel column from the plot's left edge; top is
 * below bottom where there is no line.
 */
export interface LineExtent {
  left: number;
  tops: Float64Array;
  bottoms: Float64Array;
}

/** A label to place in a plot. */
export interface LabelRequest {
  /** In pixels. */
  width: number;
  /** The candidate x positions of its start, the best first. */
  starts: readonly number[];
  /**
   * The candidate heights of its middle for a label that reaches from one x to the other, the best
   * first: in pairs, each a row further away.
   */
  heights: (from: number, to: number) => readonly number[];
}

/** The x position of a label's start, and the height of its middle. */
export interface LabelPosition {
  x: number;
  y: number;
}

/** The lines in a plot. */
export interface LabelObstacles {
  trails: readonly LineExtent[];
  /** The heights of the horizontal lines. */
  across: readonly number[];
  /** The x positions of the vertical lines. */
  upright: readonly number[];
}

/** The height of a row of text, with the gap between two rows. */
export const rowHeight = 15;
/** Half the height of a text without the gap. */
const halfTextHeight = 7;
/** Labels may reach so far beyond the plot's top, where its highest tick is. */
const topOvershoot = 2;
const stepX = 12;
const markRadius = 6;
/**
 * The costs of a position other than the best: a row further away costs as much as ten letters to
 * the left.
 */
const costs = { step: 1, otherSide: 0.5, row: 6, upright: 50, crossed: 100, onWords: 800 };

/** The extent of a line with its marked spots. The line is broken where a height is not a number. */
export function lineExtentOf(
  spots: Iterable<PlotPoint>,
  { left, width }: HorizontalExtent,
  { stepped = false, marks = [] }: { stepped?: boolean; marks?: readonly PlotPoint[] } = {},
): LineExtent {
  const trail: LineExtent = {
    left,
    tops: new Float64Array(Math.ceil(width) + 1).fill(Number.POSITIVE_INFINITY),
    bottoms: new Float64Array(Math.ceil(width) + 1).fill(Number.NEGATIVE_INFINITY),
  };
  let before: PlotPoint | undefined;
  for (const [x, y] of spots) {
    if (Number.isNaN(y)) {
      before = undefined;
      continue;
    }
    coverColumns(trail, x, x, y, y);
    if (before && stepped) {
      coverColumns(trail, before[0], x, before[1], before[1]);
      coverColumns(trail, x, x, before[1], y);
    } else if (before) coverSegment(trail, before[0], before[1], x, y);
    before = [x, y];
  }
  for (const [x, y] of marks) coverColumns(trail, x - markRadius, x + markRadius, y - markRadius, y + markRadius);
  return trail;
}

function coverSegment(trail: LineExtent, x: number, y: number, toX: number, toY: number): void {
  const heightAt = (at: number) => y + ((toY - y) * (Math.min(toX, Math.max(x, at)) - x)) / (toX - x || 1);
  // A reading may be far outside of the plot; only the part within counts.
  const last = Math.min(toX, trail.left + trail.tops.length);
  for (let at = Math.floor(Math.max(x, trail.left)); at <= last; at += 1) {
    coverColumns(trail, at, at, heightAt(at), heightAt(at + 1));
  }
}

function coverColumns({ left, tops, bottoms }: LineExtent, from: number, to: number, y: number, otherY: number): void {
  const last = Math.min(tops.length - 1, Math.floor(to - left));
  for (let column = Math.max(0, Math.floor(from - left)); column <= last; column += 1) {
    tops[column] = Math.min(tops[column] ?? y, y, otherY);
    bottoms[column] = Math.max(bottoms[column] ?? y, y, otherY);
  }
}

/** The highest and the lowest point of a line between two x; undefined where there is no line. */
export function verticalExtent(
  { left, tops, bottoms }: LineExtent,
  from: number,
  to: number,
): { top: number; bottom: number } | undefined {
  let [top, bottom] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const last = Math.min(tops.length - 1, Math.ceil(to - left));
  for (let column = Math.max(0, Math.floor(from - left)); column <= last; column += 1) {
    top = Math.min(top, tops[column] ?? top);
    bottom = Math.max(bottom, bottoms[column] ?? bottom);
  }
  return top <= bottom ? { top, bottom } : undefined;
}

/** The candidate starts of a label for the right edge: from `end` to the left. */
export function candidateStarts(end: number, width: number, { left }: HorizontalExtent): number[] {
  const first = Math.max(left + 4, end - width);
  const count = Math.floor((first - left - 4) / stepX) + 1;
  return Array.from({ length: count }, (_, index) => first - index * stepX);
}

/**
 * Places the labels one after the other at the best position free of lines and other labels, else
 * at the one with the fewest obstacles.
 */
export function positionLabels(wanted: readonly LabelRequest[], lines: LabelObstacles, box: Box): LabelPosition[] {
  const taken: (LabelPosition & { width: number })[] = [];
  for (const words of wanted) taken.push({ ...bestPosition(words, lines, taken, box), width: words.width });
  return taken.map(({ x, y }) => ({ x, y }));
}

function bestPosition(
  { width, starts, heights }: LabelRequest,
  lines: LabelObstacles,
  taken: readonly (LabelPosition & { width: number })[],
  box: Box,
) {
  let found = { x: starts[0] ?? 0, y: box.top + box.height / 2 };
  let least = Number.POSITIVE_INFINITY;
  starts.forEach((x, step) => {
    heights(x, x + width).forEach((height, index) => {
      const away = step * costs.step + (index % 2) * costs.otherSide + Math.floor(index / 2) * costs.row;
      if (away >= least) return;
      const y = Math.min(
        box.top + box.height - halfTextHeight,
        Math.max(box.top + halfTextHeight - topOvershoot, height),
      );
      const near = taken.filter(
        (placed) =>
          Math.abs(placed.y - y) < 2 * halfTextHeight && placed.x < x + width + 6 && x < placed.x + placed.width + 6,
      );
      const cost = away + near.length * costs.onWords + crossingCost(x, y, width, lines);
      if (cost >= least) return;
      least = cost;
      found = { x, y };
    });
  });
  return found;
}

/** The cost of the lines that cross a label: a vertical one touches few letters. */
function crossingCost(x: number, y: number, width: number, { trails, across, upright }: LabelObstacles): number {
  const cut = trails.filter((trail) => {
    const extent = verticalExtent(trail, x - 2, x + width + 2);
    return extent && extent.top < y + halfTextHeight && extent.bottom > y - halfTextHeight;
  });
  const rows = across.filter((at) => Math.abs(at - y) < halfTextHeight);
  const columns = upright.filter((at) => at > x - 3 && at < x + width + 3);
  return (cut.length + rows.length) * costs.crossed + columns.length * costs.upright;
}
