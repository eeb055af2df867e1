import type { Scale } from '@/ui/chart/scale';
import type { Panel, Span } from './panels';

/** Where a plot stands in the chart, in pixels. */
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
const wanted = 300;
/** The unit stands above its plot, the times below the last. */
const head = 26;
const foot = 28;
/** Three plots fit. */
const leastNumbers = 64;
const stepRow = 26;

/** Shares the height among the plots; where they are many the chart grows. */
export function layout(panels: readonly Panel[], width: number, narrow: boolean): Geometry {
  const named = panels.some(({ labels }) => labels);
  const left = named ? (narrow ? 64 : 84) : narrow ? 38 : 44;
  const right = 16;
  const steps = panels.map(({ labels }) => (labels ? stepRow * Math.max(2, labels.length) : 0));
  const fixed = steps.reduce((sum, height) => sum + height, 0);
  const numbers = panels.filter(({ labels }) => !labels).length;
  const room = wanted - foot - panels.length * head - fixed;
  const each = numbers > 0 ? Math.max(leastNumbers, Math.floor(room / numbers)) : 0;
  // Steps alone take all of it: there is nothing else to show.
  const spare = numbers === 0 && panels.length > 0 ? Math.max(0, Math.floor(room / panels.length)) : 0;
  let top = 0;
  const boxes = steps.map((step) => {
    top += head;
    const box = { top, height: step > 0 ? step + spare : each };
    top += box.height;
    return box;
  });
  return { left, width: Math.max(1, width - left - right), boxes, height: Math.max(wanted, top + foot) };
}

export function xOf(time: number, span: Span, { left, width }: Geometry): number {
  return left + ((time - span.from) / (span.to - span.from)) * width;
}

export function yOf(value: number, scale: Scale, { top, height }: Box): number {
  return top + height - ((value - scale.min) / (scale.max - scale.min)) * height;
}
