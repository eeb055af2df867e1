import type { Scale } from '@/ui/chart/scale';
import type { Panel } from './attributes';
import type { Span } from './range';

/** The position of a panel's plot in the chart, in pixels. */
export interface Box {
  top: number;
  height: number;
}

export interface Geometry {
  left: number;
  /** The width of the plots, in pixels. */
  width: number;
  boxes: Box[];
  /** The height of the whole chart. */
  height: number;
}

/** The unit stands above its panel. */
export const headHeight = 26;
const footHeight = 26;
const minPanelHeight = { numbers: 72, step: 30 };
/** The minimum, however little there is to draw; section 9 of the specification. */
export const minChartHeight = 300;

const weightOf = ({ kind, attributes }: Panel) => (kind === 'step' ? 0.3 : 1 + 0.5 * (attributes.length - 1));

/** The height that the panels need to be readable. */
export function neededHeight(panels: readonly Panel[]): number {
  const plots = panels.reduce((sum, { kind }) => sum + headHeight + minPanelHeight[kind], 0);
  return Math.max(minChartHeight, plots + footHeight);
}

/**
 * Distributes the height among the panels: more for more lines, less for a switch. `left` is the
 * room for the numbers at the left of the plots, `right` that for the names at their right.
 */
export function layout(
  panels: readonly Panel[],
  size: { width: number; height: number },
  { left, right }: { left: number; right: number },
): Geometry {
  const weights = panels.reduce((sum, panel) => sum + weightOf(panel), 0);
  const room = Math.max(size.height, minChartHeight) - footHeight - panels.length * headHeight;
  const boxes: Box[] = [];
  let top = 0;
  for (const panel of panels) {
    top += headHeight;
    const height = Math.max(minPanelHeight[panel.kind], Math.floor((room * weightOf(panel)) / weights));
    boxes.push({ top, height });
    top += height;
  }
  return {
    left,
    width: Math.max(1, size.width - left - right),
    boxes,
    height: Math.max(minChartHeight, top + footHeight),
  };
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
