import { rightRoom } from '@/ui/chart/axes';
import { spreadLabels } from '@/ui/chart/endLabels';
import { rowHeight } from '@/ui/chart/labelPositions';
import { truncateToWidth } from '@/ui/chart/measure';
import { type Box, yOf } from './geometry';
import type { PanelModel, Trace } from './model';
import type { Span } from './range';

/** The name of a line in the gutter at the right of the plots. */
interface Name {
  trace: Trace;
  words: string;
  /** The height of its middle, and that of the line's end. */
  y: number;
  end: number;
}

/** The gap between the plots and the names, in which the leaders are. */
export const leaderWidth = 12;
/** The gutter is at most this share of the chart: longer names are cut, the list beside the chart has them in full. */
const maxShare = 0.22;

/** The traces whose names stand in the gutter: a compared one has the name of that which it is compared with. */
const namedTraces = ({ kind, traces }: Pick<PanelModel, 'kind' | 'traces'>) =>
  kind === 'step' ? [] : traces.filter(({ compared }) => !compared);

/** The width of the gutter: as wide as the longest name. */
export function gutterWidth(
  panels: readonly PanelModel[],
  chartWidth: number,
  measure: (words: string) => number,
): number {
  const names = panels.flatMap((panel) => namedTraces(panel).map(({ attribute }) => measure(attribute.name)));
  const longest = Math.ceil(Math.max(0, ...names)) + leaderWidth + 2;
  return Math.max(rightRoom, Math.min(longest, Math.floor(chartWidth * maxShare)));
}

/** The names of a panel's lines, each as near to its line's end as the others allow. */
export function placeNames(
  panel: PanelModel,
  box: Box,
  room: number,
  window: Span,
  measure: (words: string) => number,
): Name[] {
  const named = namedTraces(panel).flatMap((trace) => {
    const value = valueAtEnd(trace, window);
    if (value === undefined) return [];
    const end = Math.min(box.top + box.height, Math.max(box.top, yOf(value, panel.scale, box)));
    return [{ trace, words: truncateToWidth(trace.attribute.name, room - leaderWidth, measure), end }];
  });
  const heights = spreadLabels(
    named.map(({ end }) => end),
    box,
  );
  return named.map((name, index) => ({ ...name, y: heights[index] ?? name.end }));
}

/** Whether a name is so far from its line's end that a leader connects them. */
export const needsLeader = ({ y, end }: Name): boolean => Math.abs(y - end) > rowHeight;

/**
 * The value of a line at the window's end. If the line ends before, or for bars and dots, it is the
 * last one in the window; undefined if the window shows nothing of it.
 */
function valueAtEnd({ points, attribute }: Trace, window: Span): number | undefined {
  let last: { time: number; value: number } | undefined;
  let broken = false;
  for (let at = 0; at < points.length; at += 2) {
    const time = points[at] ?? 0;
    const value = points[at + 1] ?? Number.NaN;
    if (time > window.to) {
      if (last === undefined || broken || Number.isNaN(value) || attribute.kind !== 'line') break;
      return last.value + ((value - last.value) * (window.to - last.time)) / (time - last.time);
    }
    broken = Number.isNaN(value);
    if (!broken) last = { time, value };
  }
  return last && last.time >= window.from ? last.value : undefined;
}
