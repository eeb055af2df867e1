import type { Format } from '@/lib/format/format';
import { leftRoom, rightRoom } from '@/ui/chart/axes';
import type { Measure } from '@/ui/chart/measure';
import type { Scale } from '@/ui/chart/scale';
import type { Panel } from './panels';
import type { Span } from './readings';

/** The position of a plot in the chart, in pixels. */
export interface Box {
  top: number;
  height: number;
}

export interface Geometry {
  left: number;
  width: number;
  boxes: Box[];
  height: number;
}

/** Section 9 of the specification. */
const preferredHeight = 300;
/** The unit stands above its plot, the times below the last plot. */
const headHeight = 26;
/**
 * If the first plot's unit is so wide that it would touch the labels of begin and end, it stands in
 * a second row.
 */
const secondRow = 16;
const footHeight = 28;
/** At this height, three plots fit. */
const minPlotHeight = 64;
const stepRow = 26;

/** The room that texts need, in pixels. */
export interface TextRoom {
  /** On the left of the plots: their numbers, or the names of their steps. */
  left: number;
  /** The unit above the first plot. */
  unit: number;
}

/** The maximum share of the chart for the names of steps; longer names are cut. */
const maxNamesShare = 0.34;
const nameGap = 10;

/** Measures the texts on the left of and above the plots. */
export function textRoomOf(
  panels: readonly Panel[],
  width: number,
  measure: Measure,
  { number, unit }: Pick<Format, 'number' | 'unit'>,
): TextRoom {
  const names = panels.flatMap(({ labels = [] }) => labels.map((label) => measure(label) + nameGap));
  const numbers = leftRoom(
    panels.map(({ scale, labels }) => ({ scale, numbers: !labels })),
    number,
    measure,
  );
  const left = Math.max(numbers, Math.min(Math.ceil(Math.max(0, ...names)), Math.floor(width * maxNamesShare)));
  return { left, unit: panels[0] ? measure(unit(panels[0].unit), 'name') : 0 };
}

/** The room for the name of a step. */
export const nameRoom = ({ left }: Geometry) => left - nameGap;

/** Distributes the height among the plots; the chart grows if there are many of them. */
export function layout(panels: readonly Panel[], width: number, { left, unit }: TextRoom): Geometry {
  const above = unit > left ? secondRow : 0;
  const steps = panels.map(({ labels }) => (labels ? stepRow * Math.max(2, labels.length) : 0));
  const fixed = steps.reduce((sum, height) => sum + height, 0);
  const numbers = panels.filter(({ labels }) => !labels).length;
  const room = preferredHeight - footHeight - above - panels.length * headHeight - fixed;
  const each = numbers > 0 ? Math.max(minPlotHeight, Math.floor(room / numbers)) : 0;
  // If there are only steps, they take all of the height.
  const spare = numbers === 0 && panels.length > 0 ? Math.max(0, Math.floor(room / panels.length)) : 0;
  let top = above;
  const boxes = steps.map((step) => {
    top += headHeight;
    const box = { top, height: step > 0 ? step + spare : each };
    top += box.height;
    return box;
  });
  return {
    left,
    width: Math.max(1, width - left - rightRoom),
    boxes,
    height: Math.max(preferredHeight, top + footHeight),
  };
}

export function xOf(time: number, span: Span, { left, width }: Geometry): number {
  return left + ((time - span.from) / (span.to - span.from)) * width;
}

export function yOf(value: number, scale: Scale, { top, height }: Box): number {
  return top + height - ((value - scale.min) / (scale.max - scale.min)) * height;
}
