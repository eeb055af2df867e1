import { isInGap } from './gaps';
import type { Model, Trace } from './model';
import type { Span } from './range';
import { indicesIn } from './series';

/** Whether a line has anything to show in the window: a reading, or what was said before and still holds. */
function hasReadings({ line: { times }, attribute, gaps }: Trace, window: Span): boolean {
  const [first, last] = indicesIn(times, window);
  if (first < last) return true;
  const holds = attribute.kind === 'step' && first > 0 && first < times.length;
  return holds && !isInGap(gaps, (window.from + window.to) / 2);
}

/** When the first reading of the range is, of a window in which none is; null where there is something to see, or nowhere anything. */
export function firstReadingOutOfView({ panels }: Model, window: Span): number | null {
  const traces = panels.flatMap((panel) => panel.traces.filter(({ compared }) => !compared));
  if (traces.some((trace) => hasReadings(trace, window))) return null;
  const firsts = traces.flatMap(({ line: { times } }) => (times.length > 0 ? [times[0] as number] : []));
  return firsts.length > 0 ? Math.min(...firsts) : null;
}
