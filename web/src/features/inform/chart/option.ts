import type { ChartOption } from '@/ui/chart/engine';
import { tickDecimals } from '@/ui/chart/scale';
import type { ChartTokens } from '@/ui/chart/tokens';
import type { Geometry } from './geometry';
import type { Panel, Span } from './panels';

interface Words {
  number: (value: number, decimals?: number) => string;
  /** Of a moment on the time axis. */
  tick: (time: number) => string;
}

/** The lines and their axes; everything that has words for it is drawn by the page around it. */
export function optionOf(
  panels: readonly Panel[],
  geometry: Geometry,
  span: Span,
  tokens: ChartTokens,
  words: Words,
): ChartOption {
  const font = { fontSize: 11.5, fontWeight: 450, color: tokens.ink3, fontFamily: tokens.font } as const;
  return {
    animation: false,
    textStyle: { fontFamily: tokens.font },
    grid: panels.map((_, index) => ({
      left: geometry.left,
      width: geometry.width,
      top: geometry.boxes[index]?.top,
      height: geometry.boxes[index]?.height,
      outerBoundsMode: 'none' as const,
    })),
    xAxis: panels.map((_, index) => ({
      type: 'time' as const,
      gridIndex: index,
      min: span.from,
      max: span.to,
      axisLine: { show: true, onZero: false, lineStyle: { color: tokens.line2 } },
      axisTick: { show: false },
      splitLine: { show: false },
      splitNumber: Math.max(2, Math.round(geometry.width / 90)),
      axisLabel: {
        ...font,
        show: index === panels.length - 1,
        hideOverlap: true,
        margin: 12,
        formatter: (time: number) => words.tick(time),
      },
      axisPointer: { show: false },
    })),
    yAxis: panels.map(({ scale, labels }, index) => ({
      type: 'value' as const,
      gridIndex: index,
      // The room beyond the first and the last step has no tick of its own.
      min: scale.min,
      max: scale.max,
      interval: scale.step,
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { show: !labels, lineStyle: { color: tokens.line } },
      axisLabel: {
        ...font,
        show: !labels,
        margin: 8,
        formatter: (value: number) => words.number(value, tickDecimals(scale)),
      },
    })),
    series: panels.flatMap(({ traces, labels }, index) =>
      traces.map(({ points, color }) => ({
        type: 'line' as const,
        xAxisIndex: index,
        yAxisIndex: index,
        silent: true,
        data: points,
        step: labels ? ('end' as const) : (false as const),
        // Of a single reading there is no line to see.
        showSymbol: points.length === 1,
        symbol: 'circle',
        symbolSize: 5,
        itemStyle: { color: tokens.colors[color] ?? tokens.ink2 },
        lineStyle: {
          color: tokens.colors[color] ?? tokens.ink2,
          width: 1.75,
          cap: 'round' as const,
          join: 'round' as const,
        },
      })),
    ),
  };
}
