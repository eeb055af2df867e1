import type { Scale } from '@/ui/chart/scale';
import type { Panel } from './attributes';
import type { Span } from './range';

/** Where a panel's plot stands in the chart, in pixels. */
export interface Box {
  top: number;
  height: number;
}

export interface Geometry {
  left: number;
  /** Of the plots, in pixels. */
  width: number;
  boxes: Box[];
  /** Of the whole chart. */
  height: number;
}

/** The unit stands above its panel. */
export const headHeight = 26;
const footHeight = 26;
const leastHeight = { numbers: 72, step: 30 };
/** However little there is to draw; section 9 of the specification. */
export const leastChart = 300;

const weightOf = ({ kind, attributes }: Panel) => (kind === 'step' ? 0.3 : 1 + 0.5 * (attributes.length - 1));

/** What the panels need so that each can be read. */
export function neededHeight(panels: readonly Panel[]): number {
  const plots = panels.reduce((sum, { kind }) => sum + headHeight + leastHeight[kind], 0);
  return Math.max(leastChart, plots + footHeight);
}

/** Shares the room among the panels: more for more lines, less for a switch. */
export function layout(panels: readonly Panel[], size: { width: number; height: number }, isPhone: boolean): Geometry {
  const left = isPhone ? 40 : 48;
  // Half of a day's name stands beyond the last tick.
  const right = isPhone ? 20 : 16;
  const weights = panels.reduce((sum, panel) => sum + weightOf(panel), 0);
  const room = Math.max(size.height, leastChart) - footHeight - panels.length * headHeight;
  const boxes: Box[] = [];
  let top = 0;
  for (const panel of panels) {
    top += headHeight;
    const height = Math.max(leastHeight[panel.kind], Math.floor((room * weightOf(panel)) / weights));
    boxes.push({ top, height });
    top += height;
  }
  return { left, width: Math.max(1, size.width - left - right), boxes, height: Math.max(leastChart, top + footHeight) };
}

export function xOf(time: number, window: Span, { left, width }: Geometry): number {
  return left + ((time - window.from) / (window.to - window.from)) * width;
}

export function timeAt(x: number, window: Span, { left, width }: Geometry): number {
  return window.from + ((x - left) / width) * (window.to - window.from);
}

export function yOf(value: number, scale: Scale, { top, height }: Box): number {
  return top + height - ((value - scale.min) / (scale.max - scale.min)) * height;
}

/** Moves labels apart that stand in each other's way, as little as it takes, within their box. */
export function apart(ys: readonly number[], least: number, { top, height }: Box): number[] {
  const order = ys.map((y, index) => ({ y, index })).sort((a, b) => a.y - b.y);
  const placed: number[] = [];
  let free = top + least / 2;
  for (const { y } of order) {
    const at = Math.max(y, free);
    placed.push(at);
    free = at + least;
  }
  let most = top + height - least / 2;
  for (let i = placed.length - 1; i >= 0; i -= 1) {
    placed[i] = Math.min(placed[i] ?? 0, most);
    most = (placed[i] ?? 0) - least;
  }
  const result: number[] = [];
  order.forEach(({ index }, i) => {
    result[index] = placed[i] ?? 0;
  });
  return result;
}
