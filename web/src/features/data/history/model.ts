import { type Scale, scaleFor } from '@/ui/chart/scale';
import { commonGaps } from '@/ui/chart/times';
import { type Attribute, dashes, type Panel, panelsOf } from './attributes';
import { barLength, bars } from './bars';
import { isolatedReadings, withGapBreaks } from './gaps';
import { breaksOf, type Hours, meansOf, shiftHours, showsHours } from './hours';
import { emptyPreparedLine, type PreparedLine } from './preparedLines';
import type { Span } from './range';
import { extent, type Line, shiftTimes } from './series';

/** One line, row of bars or set of dots. */
export interface Trace {
  attribute: Attribute;
  color: number;
  dash: readonly number[] | undefined;
  /** It belongs to the compared device or period. */
  compared: boolean;
  line: Line;
  gaps: Span[];
  isExact: (span: Span) => boolean;
  /** For sums: the bars, by their beginnings. */
  bars: Line | null;
  /** The hours whose means are drawn instead of thinned readings. */
  hours: Hours | null;
  /** The lowest values of the hours, and by how much the highest are above them; in the chart's form. */
  band: { low: Float64Array; height: Float64Array } | null;
  /** In the chart's form: alternating times and values. */
  points: Float64Array;
  isolated: Float64Array;
}

export interface PanelModel extends Panel {
  scale: Scale;
  traces: Trace[];
  /** When there were no readings at all for this panel. */
  sharedGaps: Span[];
}

export interface Model {
  panels: PanelModel[];
  /** The duration of a bar, in ms. */
  barLength: number;
}

interface Other {
  lines: ReadonlyMap<string, PreparedLine>;
  shift: number;
}

interface Parts {
  lines: ReadonlyMap<string, PreparedLine>;
  other: Other | null;
  colors: ReadonlyMap<string, number>;
  /** The window for which the axes and bars are made. */
  window: Span;
  /** The width of the plots, in pixels. */
  width: number;
  steps: number;
}

/** The content of the chart, panel by panel. */
export function modelOf(attributes: readonly Attribute[], parts: Parts): Model {
  const length = barLength(parts.window, parts.width);
  const panels = panelsOf(attributes).map((panel) => {
    const traces = panel.attributes.flatMap((attribute) => {
      const own = traceOf(attribute, parts.lines.get(attribute.id) ?? emptyPreparedLine, parts, length, false);
      const other = parts.other?.lines.get(attribute.id);
      if (!other || !parts.other) return [own];
      return [traceOf(attribute, shiftLine(other, parts.other.shift), parts, length, true), own];
    });
    const own = traces.filter(({ compared }) => !compared);
    const known = own.filter(({ attribute }) => parts.lines.has(attribute.id));
    return {
      ...panel,
      traces,
      scale: scaleOf(panel, traces, parts),
      sharedGaps: commonGaps(known.map(({ gaps }) => gaps)),
    };
  });
  return { panels, barLength: length };
}

function shiftLine({ line, gaps, isExact, hours }: PreparedLine, by: number): PreparedLine {
  return {
    line: shiftTimes(line, by),
    gaps: gaps.map(({ from, to }) => ({ from: from + by, to: to + by })),
    isExact: ({ from, to }) => isExact({ from: from - by, to: to - by }),
    hours: hours && shiftHours(hours, by),
  };
}

function traceOf(
  attribute: Attribute,
  prepared: PreparedLine,
  { colors, window, width }: Parts,
  length: number,
  compared: boolean,
): Trace {
  const color = colors.get(attribute.id) ?? 0;
  const { line, gaps, isExact } = prepared;
  const sums = attribute.kind === 'sum' ? bars(line, length) : null;
  const joined = attribute.kind === 'line' || attribute.kind === 'step';
  const hours = prepared.hours && showsHours(window, width) ? prepared.hours : null;
  const breaks = hours ? breaksOf(hours, gaps) : joined ? gaps : [];
  const drawn = hours ? meansOf(hours) : sums ? atBarMiddles(sums, length) : line;
  return {
    attribute,
    color,
    dash: compared ? [2, 3] : dashes[color],
    compared,
    line,
    gaps,
    isExact,
    bars: sums,
    hours,
    // Two bands over each other could not be told apart: only the own line has one.
    band: hours && !compared ? bandOf(hours, breaks) : null,
    points: withGapBreaks(drawn, breaks),
    isolated: attribute.kind === 'line' ? isolatedReadings(drawn, breaks) : new Float64Array(0),
  };
}

function bandOf({ times, low, high }: Hours, breaks: readonly Span[]) {
  const height = high.map((value, index) => value - (low[index] ?? 0));
  return {
    low: withGapBreaks({ times, values: low }, breaks),
    height: withGapBreaks({ times, values: height }, breaks),
  };
}

/** A bar stands above the middle of its period. */
const atBarMiddles = ({ times, values }: Line, length: number): Line => ({
  times: times.map((time) => time + length / 2),
  values,
});

function scaleOf(panel: Panel, traces: readonly Trace[], { window, steps }: Parts): Scale {
  if (panel.kind === 'step') return { min: -0.15, max: 1.15, step: 1 };
  const extents = traces.flatMap(({ bars: sums, line }) => {
    const found = extent(sums ?? line, window);
    return found ? [found] : [];
  });
  const zero = traces.some(({ bars: sums }) => sums) ? [0] : [];
  const lows = [...zero, ...extents.map(([low]) => low)];
  const highs = [...zero, ...extents.map(([, high]) => high)];
  if (lows.length === 0) return { min: 0, max: 1, step: 1 };
  const [low, high] = [Math.min(...lows), Math.max(...highs)];
  // An axis has a height even if all sums are zero.
  if (zero.length > 0 && high === 0) return { min: 0, max: 1, step: 1 };
  if (panel.attributes.every(({ kind }) => kind === 'direction')) return { min: 0, max: 360, step: 90 };
  return scaleFor(low, high, steps, Math.max(0, ...panel.attributes.map(({ leastSpan = 0 }) => leastSpan)));
}
