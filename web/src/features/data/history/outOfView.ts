import { isInGap } from './gaps';
import type { Model, Trace } from './model';
import type { Span } from './range';
import { indicesIn } from './series';

/**
 * Whether a line has anything to show in the window: a reading, or an earlier value that still
 * holds.
 */
function hasReadings({ line: { times }, attribute, gaps }: Trace, window: Span): boolean {
  const [first, last] = indicesIn(times, window);
  if (first < last) return true;
  const holds = attribute.kind === 'step' && first > 0 && first < times.length;
  return holds && !isInGap(gaps, (window.from + window.to) / 2);
}

/**
 * The time of the range's first reading if the window has none; null if the window shows something
 * or the range is empty.
 */
export function firstReadingOutOfView({ panels }: Model, window: Span): number | null {
  const traces = panels.flatMap((panel) => panel.traces.filter(({ compared }) => !compared));
  if (traces.some((trace) => hasReadings(trace, window))) return null;
  const firsts = traces.flatMap(({ line: { times } }) => (times.length > 0 ? [times[0] as number] : []));
  return firsts.length > 0 ? Math.min(...firsts) : null;
}
