import type { ChartOption } from './engine';
import { type Scale, tickDecimals } from './scale';
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

export interface AxisWords {
  number: (value: number, decimals?: number) => string;
  /** Of a moment on the time axis; the first one may name its day. */
  tick: (time: number, first: boolean) => string;
}

/** One grid a plot over one time axis, whose labels stand below the last. Everything that has words for it, or that a person points at, is drawn by the page. */
export function axesOf(
  { left, width, boxes }: Place,
  plots: readonly Plot[],
  span: { from: number; to: number },
  tokens: ChartTokens,
  words: AxisWords,
) {
  const font = { fontSize: 11.5, fontWeight: 450, color: tokens.ink3, fontFamily: tokens.font } as const;
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
      splitNumber: Math.max(2, Math.round(width / 90)),
      axisLabel: {
        ...font,
        show: index === plots.length - 1,
        hideOverlap: true,
        margin: 12,
        formatter: (time: number, at: number) => words.tick(time, at === 0),
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
        margin: 8,
        show: numbers,
        formatter: (value: number) => words.number(value, tickDecimals(scale)),
      },
    })),
  } satisfies ChartOption;
}
