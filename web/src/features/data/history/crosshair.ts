import { indexFrom } from '@/ui/chart/times';
import { isInGap } from './gaps';
import { hourAt, hourSpan } from './hours';
import type { Model, Trace } from './model';
import type { Span } from './range';
import { indicesIn, nearest } from './series';

/** The value of one trace at a time; `value` is null if there is no reading. */
export interface Mark {
  trace: Trace;
  /** The index of its panel. */
  panel: number;
  time: number;
  value: number | null;
  /** The number as it arrived, if `value` is corrected. */
  raw?: number;
  /** If `value` is the mean of an hour: the lowest and highest reading of that hour. */
  spread?: [low: number, high: number];
}

export interface Crosshair {
  /** The time of the reading nearest to the pointer, or the middle of the hour. */
  time: number;
  /** The hour, if the nearest is the mean of an hour. */
  hour: Span | null;
  marks: Mark[];
}

const tracesByPanel = (model: Model): { trace: Trace; panel: number }[] =>
  model.panels.flatMap(({ traces }, panel) => traces.map((trace) => ({ trace, panel })));

/** The times at which a trace has something under the crosshair. */
const timesOf = ({ hours, line }: Trace): Float64Array => hours?.times ?? line.times;

/** The time of the reading or hour in a window nearest to `time`; `time` itself if there is none. */
export function nearestReadingTime(model: Model, time: number, window: Span): number {
  let best = time;
  let distance = Number.POSITIVE_INFINITY;
  for (const { trace } of tracesByPanel(model)) {
    // Compared traces have other times, steps have made-up ones between readings, and a bar stands
    // for a whole period: none of them has a reading at the pointer.
    if (trace.compared || trace.attribute.kind === 'step' || trace.bars) continue;
    const times = timesOf(trace);
    const found = times[nearest(times, time)];
    if (found === undefined || found < window.from || found > window.to) continue;
    if (Math.abs(found - time) < distance) {
      distance = Math.abs(found - time);
      best = found;
    }
  }
  // Within a gap the crosshair stays at the pointer.
  const silent = model.panels.length > 0 && model.panels.every((panel) => isInGap(panel.sharedGaps, time));
  return silent ? time : best;
}

export function crosshairAt(model: Model, pointed: number, window: Span): Crosshair {
  const time = nearestReadingTime(model, pointed, window);
  const marks = tracesByPanel(model).map(({ trace, panel }) => ({
    trace,
    panel,
    ...readAt(trace, time, model.barLength),
  }));
  // Each compared mark comes right after the mark that it is compared with: if all of them came last, nobody could tell which
  // belongs to which.
  const place = ({ trace, panel }: Mark) => model.panels[panel]?.attributes.indexOf(trace.attribute) ?? 0;
  marks.sort((a, b) => a.panel - b.panel || place(a) - place(b) || Number(a.trace.compared) - Number(b.trace.compared));
  return { time, hour: hourOf(model, time), marks };
}

/** The hour whose mean is drawn at a time; null if there is a reading at that time, or neither. */
function hourOf(model: Model, time: number): Span | null {
  for (const { trace } of tracesByPanel(model)) {
    if (!trace.hours || trace.compared) continue;
    const index = hourAt(trace.hours, time);
    if (index >= 0 && trace.hours.times[index] === time) return hourSpan(trace.hours, index);
  }
  return null;
}

function readAt(
  { attribute, line, gaps, bars, hours }: Trace,
  time: number,
  length: number,
): Pick<Mark, 'time' | 'value' | 'raw' | 'spread'> {
  if (bars) {
    const index = indexFrom(bars.times, time + 1) - 1;
    const start = bars.times[index];
    if (start === undefined || time >= start + length) return { time, value: null };
    return { time: start + length / 2, value: bars.values[index] ?? null };
  }
  if (hours) {
    const index = hourAt(hours, time);
    const mean = hours.mean[index];
    if (mean === undefined) return { time, value: null };
    return {
      time: hours.times[index] ?? time,
      value: mean,
      spread: [hours.low[index] ?? mean, hours.high[index] ?? mean],
    };
  }
  if (line.times.length === 0 || isInGap(gaps, time)) return { time, value: null };
  if (attribute.kind === 'step') {
    const index = indexFrom(line.times, time + 1) - 1;
    return { time, value: index < 0 || time > (line.times.at(-1) ?? 0) ? null : (line.values[index] ?? null) };
  }
  const index = nearest(line.times, time);
  const raw = line.raw?.[index] ?? Number.NaN;
  return {
    time: line.times[index] ?? time,
    value: line.values[index] ?? null,
    ...(Number.isNaN(raw) ? {} : { raw }),
  };
}

/**
 * The time `steps` readings further, so that keys move the crosshair; negative `steps` move it back, 0
 * leads to the reading before unless `time` has one. The readings are those of the line with most of
 * them in the window; without such a line, a step is a hundredth of the window.
 */
export function stepReading(model: Model, time: number, window: Span, steps: number): number {
  const densest = tracesByPanel(model)
    .filter(({ trace }) => !trace.compared && !trace.bars && trace.attribute.kind !== 'step')
    .map(({ trace }) => timesOf(trace))
    .sort((a, b) => countIn(b, window) - countIn(a, window))[0];
  if (!densest || countIn(densest, window) === 0) {
    const to = time + ((window.to - window.from) / 100) * steps;
    return Math.min(window.to, Math.max(window.from, to));
  }
  const [first, last] = indicesIn(densest, window);
  const at = indexFrom(densest, time);
  // Between two readings, one step forward leads to the next one.
  const here = densest[at] === time || steps < 0 ? at : at - 1;
  return densest[Math.min(last - 1, Math.max(first, here + steps))] ?? time;
}

function countIn(times: Float64Array, window: Span): number {
  const [first, last] = indicesIn(times, window);
  return last - first;
}
