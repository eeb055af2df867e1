import type { ChartOption } from './engine';
import { labelSize, type Measure } from './measure';
import { type Scale, tickDecimals } from './scale';
import type { TimeTick } from './timeTicks';
import type { ChartTokens } from './tokens';

interface Place {
  left: number;
  width: number;
  /** Of each plot, from above. */
  boxes: readonly { top: number; height: number }[];
}

interface Plot {
  scale: Scale;
  /** Its ticks are numbers, each with its line; what stands in steps is named by the page. */
  numbers: boolean;
}

type NumberFormatter = (value: number, decimals?: number) => string;

/** Between a number and its plot. */
const labelGap = 8;
/** So that the plots do not move a little with each digit that comes or goes. */
const roomStepPx = 8;
const minRoom = 32;
/** What is not written stands beyond the plots. */
export const rightRoom = 16;

const tickText = (scale: Scale, value: number, write: NumberFormatter) => write(value, tickDecimals(scale));

/** What stands at an axis of numbers. */
export function tickTexts(scale: Scale, write: NumberFormatter): string[] {
  const count = Math.round((scale.max - scale.min) / scale.step);
  return Array.from({ length: count + 1 }, (_, index) => tickText(scale, scale.min + index * scale.step, write));
}

/** The room that the numbers of all plots need at their left, one for all so that the plots stand below one another. */
export function leftRoom(plots: readonly Plot[], write: NumberFormatter, measure: Measure): number {
  const texts = plots.flatMap(({ scale, numbers }) => (numbers ? tickTexts(scale, write) : []));
  const widest = Math.max(0, ...texts.map((text) => measure(text)));
  return Math.max(minRoom, Math.ceil((widest + labelGap) / roomStepPx) * roomStepPx);
}

/** The moments that are named, which change with the window. */
export function timeLabels(ticks: readonly TimeTick[]) {
  const words = new Map(ticks.map((tick) => [tick.time, tick.words]));
  return { customValues: ticks.map(({ time }) => time), formatter: (time: number) => words.get(time) ?? '' };
}

/** One grid a plot over one time axis, whose labels stand below the last. Everything that has words for it, or that a person points at, is drawn by the page. */
export function axesOf(
  { left, width, boxes }: Place,
  plots: readonly Plot[],
  span: { from: number; to: number },
  tokens: ChartTokens,
  { write, ticks }: { write: NumberFormatter; ticks: readonly TimeTick[] },
) {
  const font = { fontSize: labelSize, fontWeight: 450, color: tokens.ink3, fontFamily: tokens.font } as const;
  return {
    animation: false,
    textStyle: { fontFamily: tokens.font },
    grid: plots.map((_, index) => ({
      left,
      width,
      top: boxes[index]?.top,
      height: boxes[index]?.height,
      // The page draws over the plots and must know where they are: labels do not move them.
      outerBoundsMode: 'none',
    })),
    xAxis: plots.map((_, index) => ({
      type: 'time',
      gridIndex: index,
      min: span.from,
      max: span.to,
      axisLine: { show: true, onZero: false, lineStyle: { color: tokens.line2 } },
      axisTick: { show: false },
      splitLine: { show: false },
      axisLabel: {
        ...font,
        show: index === plots.length - 1,
        // That all have room is known.
        hideOverlap: false,
        margin: 12,
        ...timeLabels(ticks),
      },
      axisPointer: { show: false },
    })),
    yAxis: plots.map(({ scale, numbers }, index) => ({
      type: 'value',
      gridIndex: index,
      min: scale.min,
      max: scale.max,
      interval: scale.step,
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { show: numbers, lineStyle: { color: tokens.line } },
      axisLabel: {
        ...font,
        margin: labelGap,
        show: numbers,
        formatter: (value: number) => tickText(scale, value, write),
      },
    })),
  } satisfies ChartOption;
}
