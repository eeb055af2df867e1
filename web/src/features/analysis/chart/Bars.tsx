import type { Span } from '../data/line';
import css from './AnalysisChart.module.css';
import type { Bar } from './bars';
import { type Box, type Geometry, xOf } from './geometry';
import { colorOf } from './Lines';
import type { Panel } from './panels';

interface BarsProps {
  panel: Panel;
  bars: NonNullable<Panel['bars']>;
  box: Box;
  geometry: Geometry;
  span: Span;
  y: (value: number) => number;
}

/** The sums of each period, those of several lines beside each other. */
export function Bars({ panel, bars, box, geometry, span, y }: BarsProps) {
  const { columns } = panel;
  return columns.map((column, index) => (
    <path
      key={column.key}
      className={column.compared ? css.compared : undefined}
      fill={colorOf(column)}
      d={barsPath(bars.of.get(column.key) ?? [], { place: index, of: columns.length }, geometry, span, (sum) => {
        const top = Math.min(y(sum), box.top + box.height);
        return [top, box.top + box.height - top];
      })}
      data-line={column.key}
    />
  ));
}

/** The share of its period that a bar, or several beside each other, fill. */
const fill = 0.72;

/** Bars as one path; `heightOf` returns a bar's top and height for its sum. */
export function barsPath(
  bars: readonly Bar[],
  { place, of }: { place: number; of: number },
  geometry: Geometry,
  span: Span,
  heightOf: (sum: number) => [top: number, height: number],
): string {
  return bars
    .filter(({ sum, from, to }) => sum > 0 && to >= span.from && from <= span.to)
    .map(({ from, to, sum }) => {
      const start = xOf(from, span, geometry);
      const room = Math.max(1, xOf(to, span, geometry) - start);
      const width = Math.max(1, (room * fill) / of);
      const x = start + (room * (1 - fill)) / 2 + place * width;
      const [top, height] = heightOf(sum);
      return `M${x.toFixed(1)} ${top.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
    })
    .join('');
}
