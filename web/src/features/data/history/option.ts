import type { ChartOption } from '@/ui/chart/engine';
import { tickDecimals } from '@/ui/chart/scale';
import type { ChartTokens } from '@/ui/chart/tokens';
import type { Geometry } from './geometry';
import type { Model, PanelModel, Trace } from './model';
import type { Span } from './range';

interface Words {
  number: (value: number, decimals?: number) => string;
  /** Of a moment on the time axis; the first one names its day. */
  tick: (time: number, first: boolean) => string;
}

type Series = Extract<NonNullable<ChartOption['series']>, unknown[]>[number];

const axisFont = { fontSize: 11.5, fontWeight: 450 } as const;

/** The drawing: one grid a panel over one time axis. Everything that has words for it, or that a person points at, is drawn by the page. */
export function optionOf(
  model: Model,
  geometry: Geometry,
  window: Span,
  tokens: ChartTokens,
  words: Words,
): ChartOption {
  const { panels } = model;
  const font = { ...axisFont, color: tokens.ink3, fontFamily: tokens.font };
  return {
    animation: false,
    textStyle: { fontFamily: tokens.font },
    grid: panels.map((_, index) => ({
      left: geometry.left,
      width: geometry.width,
      top: geometry.boxes[index]?.top,
      height: geometry.boxes[index]?.height,
      // The page draws over the plots and must know where they are: labels do not move them.
      outerBoundsMode: 'none' as const,
    })),
    xAxis: panels.map((_, index) => ({
      type: 'time' as const,
      gridIndex: index,
      min: window.from,
      max: window.to,
      axisLine: { show: true, onZero: false, lineStyle: { color: tokens.line2 } },
      axisTick: { show: false },
      splitLine: { show: false },
      splitNumber: Math.max(2, Math.round(geometry.width / 90)),
      axisLabel: {
        ...font,
        show: index === panels.length - 1,
        hideOverlap: true,
        margin: 12,
        formatter: (time: number, at: number) => words.tick(time, at === 0),
      },
      axisPointer: { show: false },
    })),
    yAxis: panels.map((panel, index) => ({
      type: 'value' as const,
      gridIndex: index,
      min: panel.scale.min,
      max: panel.scale.max,
      interval: panel.scale.step,
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { show: panel.kind === 'numbers', lineStyle: { color: tokens.line } },
      axisLabel: {
        ...font,
        margin: 8,
        show: panel.kind === 'numbers',
        formatter: (value: number) => words.number(value, tickDecimals(panel.scale)),
      },
    })),
    series: panels.flatMap((panel, index) =>
      panel.traces.flatMap((trace) => seriesOf(trace, index, panel, model, geometry, window, tokens)),
    ),
  };
}

function seriesOf(
  trace: Trace,
  index: number,
  panel: PanelModel,
  model: Model,
  geometry: Geometry,
  window: Span,
  tokens: ChartTokens,
): Series[] {
  const color = tokens.colors[trace.color] ?? tokens.ink2;
  const shared = {
    xAxisIndex: index,
    yAxisIndex: index,
    silent: true,
    dimensions: ['time', 'value'],
    encode: { x: 0, y: 1 },
    z: trace.compared ? 2 : 3,
  };
  const opacity = trace.compared ? 0.6 : 1;
  // Typed arrays are read as they are: no object is made for a reading.
  const data = (points: Float64Array) => points as unknown as number[];
  if (trace.bars) {
    const perMs = geometry.width / (window.to - window.from);
    const side = panel.traces.length;
    return [
      {
        ...shared,
        type: 'bar',
        data: data(trace.points),
        barWidth: Math.max(1, (model.barLength * perMs * 0.62) / side),
        barGap: '0%',
        itemStyle: { color, opacity },
      },
    ];
  }
  if (trace.attribute.kind === 'direction') {
    return [
      {
        ...shared,
        type: 'scatter',
        data: data(trace.points),
        symbolSize: 3,
        large: true,
        largeThreshold: 2000,
        itemStyle: { color, opacity },
      },
    ];
  }
  const line: Series = {
    ...shared,
    type: 'line',
    data: data(trace.points),
    step: trace.attribute.kind === 'step' ? 'end' : false,
    showSymbol: false,
    connectNulls: false,
    lineStyle: {
      color,
      opacity,
      width: 1.75,
      type: trace.dash ? [...trace.dash] : 'solid',
      cap: 'round',
      join: 'round',
    },
  };
  if (trace.lonely.length === 0) return [line];
  return [line, { ...shared, type: 'scatter', data: data(trace.lonely), symbolSize: 4, itemStyle: { color, opacity } }];
}

/** The window alone, as it moves under the fingers. */
export function frameOf(count: number, window: Span): ChartOption {
  return { xAxis: Array.from({ length: count }, () => ({ min: window.from, max: window.to })) };
}
