import { memo } from 'react';
import { useFormat } from '@/lib/format/format';
import type { Measure } from '@/ui/chart/measure';
import { scaleFor, tickDecimals } from '@/ui/chart/scale';
import { timeTicks } from '@/ui/chart/timeTicks';
import type { Axis } from '../data/column';
import type { Span } from '../data/line';
import css from './AnalysisChart.module.css';
import { type Geometry, xOf } from './geometry';

interface AxisTicksProps {
  axis: Axis;
  span: Span;
  geometry: Geometry;
  measure: Measure;
}

/** About how wide a number of degree days is, with the room beside it. */
const degreeTickPx = 80;

/** The labelled times, or degree days, below the last plot. */
export const AxisTicks = memo(function AxisTicks({ axis, span, geometry, measure }: AxisTicksProps) {
  const format = useFormat();
  const { left, plotWidth, width, height, boxes } = geometry;
  const last = boxes.at(-1);
  const bottom = last ? last.top + last.height : height;
  const ticks =
    axis === 'time'
      ? timeTicks({ ...span, left, width: plotWidth, chart: width }, format.language, measure)
      : degreeTicks(span, plotWidth / degreeTickPx, format.number);
  return ticks.map(({ time, words }) => {
    const x = xOf(time, span, geometry);
    return (
      <g key={time}>
        <line className={css.tickMark} x1={x} x2={x} y1={bottom} y2={bottom + 4} />
        <text className={css.tick} x={x} y={bottom + 18} textAnchor="middle">
          {words}
        </text>
      </g>
    );
  });
});

function degreeTicks({ to }: Span, steps: number, write: (value: number, decimals?: number) => string) {
  const scale = scaleFor(0, to, Math.max(2, Math.floor(steps)));
  const count = Math.floor(to / scale.step + 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => {
    const time = index * scale.step;
    return { time, words: write(time, tickDecimals(scale)) };
  });
}
