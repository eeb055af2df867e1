import { axesOf, timeLabels } from '@/ui/chart/axes';
import type { ChartOption } from '@/ui/chart/engine';
import type { TimeTick } from '@/ui/chart/timeTicks';
import type { ChartTokens } from '@/ui/chart/tokens';
import type { Geometry } from './geometry';
import type { Model, PanelModel, Trace } from './model';
import type { Span } from './range';

type Series = Extract<NonNullable<ChartOption['series']>, unknown[]>[number];

/**
 * The chart's option: one grid per panel over one time axis. The page itself draws all texts and
 * everything that reacts to the pointer.
 */
export function optionOf(
  model: Model,
  geometry: Geometry,
  window: Span,
  tokens: ChartTokens,
  words: Parameters<typeof axesOf>[4],
): ChartOption {
  const { panels } = model;
  const plots = panels.map(({ scale, kind }) => ({ scale, numbers: kind === 'numbers' }));
  return {
    ...axesOf(geometry, plots, window, tokens, words),
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
  // The chart reads typed arrays directly, without an object per reading.
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
      width: trace.hours ? 1.5 : 1.75,
      type: trace.dash ? [...trace.dash] : 'solid',
      cap: 'round',
      join: 'round',
    },
  };
  const parts = [...bandSeries(trace, shared, color), line];
  if (trace.isolated.length === 0) return parts;
  return [
    ...parts,
    { ...shared, type: 'scatter', data: data(trace.isolated), symbolSize: 4, itemStyle: { color, opacity } },
  ];
}

/** Opaque enough to be seen in the dark theme, and lines of the same colour stay readable on it. */
const bandOpacity = 0.16;

/** The band from the lowest to the highest values, behind all lines: its height stands on the lowest ones. */
function bandSeries({ band, attribute }: Trace, shared: object, color: string): Series[] {
  if (!band) return [];
  const common = {
    ...shared,
    type: 'line' as const,
    z: 1,
    stack: `band ${attribute.id}`,
    // Also below zero, where the chart would otherwise stack downwards.
    stackStrategy: 'all' as const,
    showSymbol: false,
    connectNulls: false,
    lineStyle: { opacity: 0 },
  };
  const data = (points: Float64Array) => points as unknown as number[];
  return [
    { ...common, data: data(band.low) },
    { ...common, data: data(band.height), areaStyle: { color, opacity: bandOpacity } },
  ];
}

/** Only the window, as it moves with a gesture, and its time labels. */
export function frameOf(count: number, { from, to }: Span, ticks: readonly TimeTick[]): ChartOption {
  return { xAxis: Array.from({ length: count }, () => ({ min: from, max: to, axisLabel: timeLabels(ticks) })) };
}
