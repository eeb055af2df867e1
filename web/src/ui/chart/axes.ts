import type { ChartOption } from './engine';
import { labelSize, type Measure } from './measure';
import { type Scale, tickDecimals } from './scale';
import type { TimeTick } from './timeTicks';
import type { ChartTokens } from './tokens';

interface Place {
  left: number;
  width: number;
  /** The plots, from top to bottom. */
  boxes: readonly { top: number; height: number }[];
}

interface Plot {
  scale: Scale;
  /** Its ticks are numbers with grid lines; the page labels step plots. */
  numbers: boolean;
}

type NumberFormatter = (value: number, decimals?: number) => string;

/** The gap between a number and its plot. */
const labelGap = 8;
/** Rounds the room up, so that the plots do not move with each digit. */
const roomStepPx = 8;
const minRoom = 32;
/** The free room at the right of the plots. */
export const rightRoom = 16;

const tickText = (scale: Scale, value: number, write: NumberFormatter) => write(value, tickDecimals(scale));

/** The tick texts of a numeric axis. */
export function tickTexts(scale: Scale, write: NumberFormatter): string[] {
  const count = Math.round((scale.max - scale.min) / scale.step);
  return Array.from({ length: count + 1 }, (_, index) => tickText(scale, scale.min + index * scale.step, write));
}

/** The room for the numbers at the left, the same for all plots so that they are aligned. */
export function leftRoom(plots: readonly Plot[], write: NumberFormatter, measure: Measure): number {
  const texts = plots.flatMap(({ scale, numbers }) => (numbers ? tickTexts(scale, write) : []));
  const widest = Math.max(0, ...texts.map((text) => measure(text)));
  return Math.max(minRoom, Math.ceil((widest + labelGap) / roomStepPx) * roomStepPx);
}

/** The labelled ticks, which change with the window. */
export function timeLabels(ticks: readonly TimeTick[]) {
  const words = new Map(ticks.map((tick) => [tick.time, tick.words]));
  return { customValues: ticks.map(({ time }) => time), formatter: (time: number) => words.get(time) ?? '' };
}

/**
 * One grid per plot over one time axis, whose labels are below the last. The page draws everything
 * that has words or takes the pointer.
 */
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
      // The page draws over the plots and must know their position: labels must not move them.
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
        // All labels are known to fit.
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
