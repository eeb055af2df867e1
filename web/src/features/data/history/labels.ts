import {
  candidateStarts,
  type LabelPosition,
  type LabelRequest,
  type LineExtent,
  lineExtentOf,
  type PlotPoint,
  positionLabels,
  rowHeight,
  verticalExtent,
} from '@/ui/chart/labelPositions';
import { truncateToWidth } from '@/ui/chart/measure';
import { type Box, type Geometry, xOf, yOf } from './geometry';
import type { PanelModel, Trace } from './model';
import type { Span } from './range';

interface Name extends LabelPosition {
  trace: Trace;
  words: string;
}

/** Longer names are cut: the list beside the chart has them in full. */
const maxShare = 0.6;
/** How many positions further to the left are tried: names belong near the lines' ends. */
const maxStarts = 24;
/** The distance between a line and the middle of its name. */
const above = 10;
const below = 11;
/**
 * How many rows a name may be away from its line: its colour still shows which line it belongs to.
 */
const maxRows = 4;

/** Places the names of a panel's lines, each as near to its line's end as there is free room. */
export function placeNames(
  panel: PanelModel,
  box: Box,
  geometry: Geometry,
  window: Span,
  measure: (words: string) => number,
): Name[] {
  const named = panel.traces.filter(({ compared, bars, attribute }) => !compared && !bars && attribute.kind === 'line');
  if (named.length === 0) return [];
  const drawn = panel.traces.filter(({ bars }) => !bars);
  const trails = new Map(
    drawn.map((trace) => [trace, lineExtentOf(visiblePoints(trace, panel, box, geometry, window), geometry)]),
  );
  const names = named.flatMap((trace) => {
    const words = truncateToWidth(trace.attribute.name, geometry.width * maxShare, measure);
    const wanted = labelRequestFor(measure(words), trails.get(trace), geometry);
    return wanted ? [{ trace, words, wanted }] : [];
  });
  const places = positionLabels(
    names.map(({ wanted }) => wanted),
    { trails: [...trails.values()], across: [], upright: [] },
    box,
  );
  return names.map(({ trace, words }, index) => ({ trace, words, ...(places[index] ?? { x: 0, y: 0 }) }));
}

/** The visible points of a line, and one point beyond each end, to which the line is drawn. */
function* visiblePoints(
  { points }: Trace,
  { scale }: PanelModel,
  box: Box,
  geometry: Geometry,
  window: Span,
): Iterable<PlotPoint> {
  let before: PlotPoint | undefined;
  for (let at = 0; at < points.length; at += 2) {
    const time = points[at] ?? 0;
    const spot: PlotPoint = [xOf(time, window, geometry), yOf(points[at + 1] ?? Number.NaN, scale, box)];
    if (time < window.from) {
      before = spot;
      continue;
    }
    if (before) yield before;
    before = undefined;
    yield spot;
    if (time > window.to) return;
  }
}

/**
 * Requests a place above or below a line, if possible at its end; undefined if the line is not in
 * view.
 */
function labelRequestFor(width: number, trail: LineExtent | undefined, geometry: Geometry): LabelRequest | undefined {
  if (!trail) return undefined;
  const last = trail.tops.findLastIndex((top, x) => top <= (trail.bottoms[x] ?? Number.NEGATIVE_INFINITY));
  if (last < 0) return undefined;
  const end = Math.max(geometry.left + last, geometry.left + 4 + width);
  return {
    width,
    starts: candidateStarts(end - 2, width, geometry).slice(0, maxStarts),
    heights: (from, to) => {
      const extent = verticalExtent(trail, from, to);
      if (!extent) return [];
      return Array.from({ length: maxRows }, (_, row) => [
        extent.top - above - row * rowHeight,
        extent.bottom + below + row * rowHeight,
      ]).flat();
    },
  };
}
