import { axesOf } from '@/ui/chart/axes';
import type { ChartOption } from '@/ui/chart/engine';
import type { ChartTokens } from '@/ui/chart/tokens';
import type { Geometry } from './geometry';
import type { Panel } from './panels';
import type { Span } from './readings';

/** The lines and their axes. The page itself draws all texts. */
export function optionOf(
  panels: readonly Panel[],
  geometry: Geometry,
  span: Span,
  tokens: ChartTokens,
  words: Parameters<typeof axesOf>[4],
): ChartOption {
  const plots = panels.map(({ scale, labels }) => ({ scale, numbers: !labels }));
  return {
    // The room beyond the first and the last step has no tick.
    ...axesOf(geometry, plots, span, tokens, words),
    series: panels.flatMap(({ traces, labels }, index) =>
      traces.map(({ points, color }) => ({
        type: 'line' as const,
        xAxisIndex: index,
        yAxisIndex: index,
        silent: true,
        data: points,
        step: labels ? ('end' as const) : (false as const),
        // A single reading has no line, so it is drawn as a dot.
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
