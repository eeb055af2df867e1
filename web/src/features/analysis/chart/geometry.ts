import type { Format } from '@/lib/format/format';
import { leftRoom } from '@/ui/chart/axes';
import type { Measure } from '@/ui/chart/measure';
import type { Span } from '../data/line';
import type { Panel } from './panels';

export interface Box {
  top: number;
  height: number;
}

/** Where everything is in the chart, in pixels. */
export interface Geometry {
  /** The whole chart. */
  width: number;
  height: number;
  /** The plots. */
  left: number;
  plotWidth: number;
  boxes: Box[];
  /** The bars of rain above the plots; null without rain. */
  rain: Box | null;
  /** The alarms above the plots; null without alarms. */
  alarms: Box | null;
  /** The names at the lines' ends. */
  gutter: number;
}

/** What each plot is of stands above it. */
export const headHeight = 24;
const footHeight = 28;
const rainHeight = 36;
const alarmsHeight = 8;
const laneGap = 10;
/** Between the plots of depths, which have no heads. */
const depthGap = 4;
/** Where a name begins, from the end of the plots: behind a piece of its line. */
export const labelStart = 28;
/** The greatest share of the chart for the names. */
const maxGutterShare = 0.24;

const heights: Record<Exclude<Panel['kind'], 'step'>, { desktop: number; phone: number }> = {
  numbers: { desktop: 208, phone: 150 },
  sums: { desktop: 110, phone: 90 },
  depth: { desktop: 84, phone: 72 },
};

/** The height of one switch's strip, and the room between two. */
export const stripHeight = 22;
const stripGap = 6;

/** The height of the strips of several switches. */
const stripsHeight = (count: number): number => count * (stripHeight + stripGap) - stripGap;

/** The strip of one of the switches of a plot. */
export const stripIn = ({ top }: Box, index: number): Box => ({
  top: top + index * (stripHeight + stripGap),
  height: stripHeight,
});

/** What stands at the left of a strip: of on-times, and of hours a day. */
export const stripLabels = (format: Format): [on: string, day: string] => [
  format.reading({ value: true, unit: '' }),
  format.reading({ value: 24, unit: 'h', precision: 0 }),
];

interface Wanted {
  width: number;
  phone: boolean;
  rain: boolean;
  alarms: boolean;
  /** The names at the lines' ends; none on a phone, where a legend has them. */
  names: readonly string[];
  /** The names of depths, at the left of their plots. */
  depths: readonly string[];
}

export function geometryOf(
  panels: readonly Panel[],
  { width, phone, rain, alarms, names, depths }: Wanted,
  measure: Measure,
  format: Format,
): Geometry {
  const numbers = leftRoom(
    panels.map(({ scale, kind }) => ({ scale, numbers: kind !== 'step' })),
    format.number,
    measure,
  );
  const strips = panels.some(({ kind }) => kind === 'step') ? stripLabels(format) : [];
  const left = Math.max(
    numbers,
    ...strips.map((text) => Math.ceil(measure(text)) + 10),
    ...depths.map((name) => Math.ceil(measure(name, 'name')) + 8),
  );
  const widest = Math.max(0, ...names.map((name) => measure(name, 'name')));
  const gutter =
    names.length > 0 ? Math.min(Math.ceil(widest) + labelStart + 2, Math.floor(width * maxGutterShare)) : 12;
  let top = 4;
  const lane = (height: number): Box => {
    const box = { top, height };
    top += height + laneGap;
    return box;
  };
  const rainBox = rain ? { ...lane(headHeight - laneGap + rainHeight), top: 4 + headHeight, height: rainHeight } : null;
  if (rainBox) top = rainBox.top + rainBox.height + laneGap;
  const alarmBox = alarms ? lane(alarmsHeight) : null;
  const each = phone ? 'phone' : 'desktop';
  // A single plot has the room of several.
  const large = panels.filter(({ kind }) => kind === 'numbers').length === 1 && panels.length === 1 && !phone ? 1.7 : 1;
  const boxes = panels.map(({ kind, columns }, index) => {
    const follows = kind === 'depth' && panels[index - 1]?.kind === 'depth';
    top += follows ? depthGap : headHeight;
    const height = kind === 'step' ? stripsHeight(columns.length) : Math.round(heights[kind][each] * large);
    const box = { top, height };
    top += box.height;
    return box;
  });
  return {
    width,
    height: top + footHeight,
    left,
    plotWidth: Math.max(1, width - left - gutter),
    boxes,
    rain: rainBox,
    alarms: alarmBox,
    gutter,
  };
}

/** The place of a time, or of degree days, across. */
export function xOf(time: number, span: Span, { left, plotWidth }: Pick<Geometry, 'left' | 'plotWidth'>): number {
  return left + ((time - span.from) / (span.to - span.from)) * plotWidth;
}

export function timeAt(x: number, span: Span, { left, plotWidth }: Pick<Geometry, 'left' | 'plotWidth'>): number {
  const share = Math.min(1, Math.max(0, (x - left) / plotWidth));
  return span.from + share * (span.to - span.from);
}

/** The height of a value in a plot. */
export function yIn({ scale }: Pick<Panel, 'scale'>, { top, height }: Box): (value: number) => number {
  const perUnit = height / (scale.max - scale.min);
  return (value) => top + height - (value - scale.min) * perUnit;
}
