import { useMemo } from 'react';
import { useFormat } from '@/lib/format/format';
import type { Span } from '../data/line';
import css from './AnalysisChart.module.css';
import { type Box, type Geometry, stripIn, stripLabels, xOf } from './geometry';
import { colorOf } from './Lines';
import type { Panel } from './panels';
import { onDaysPath, onPath, showsPhases, unknownIn } from './switches';

interface SwitchesProps {
  panel: Panel;
  box: Box;
  geometry: Geometry;
  span: Span;
  gaps: boolean;
  clip: string;
  hatch: string;
}

/** A strip for each switch: when it was on or, where that would be too dense, for how long a day. */
export function Switches({ panel, box, geometry, span, gaps, clip, hatch }: SwitchesProps) {
  const labels = stripLabels(useFormat());
  const { left, plotWidth } = geometry;
  const strips = useMemo(
    () =>
      panel.columns.flatMap((column, index) => {
        const { onTimes } = column.line;
        if (!onTimes) return [];
        const strip = stripIn(box, index);
        const exact = showsPhases(onTimes, span, plotWidth);
        const path = (exact ? onPath : onDaysPath)(onTimes, span, { left, plotWidth }, strip);
        return [{ column, strip, exact, path, unknown: gaps ? unknownIn(onTimes, span) : [] }];
      }),
    [panel.columns, box, span, left, plotWidth, gaps],
  );
  return strips.map(({ column, strip, exact, path, unknown }) => (
    <g key={column.key} className={column.compared ? css.compared : undefined} data-line={column.key}>
      <text className={css.tick} x={left - 8} y={strip.top + strip.height / 2 + 4} textAnchor="end">
        {exact ? labels[0] : labels[1]}
      </text>
      <g clipPath={`url(#${clip})`}>
        <rect className={css.lane} x={left} y={strip.top} width={plotWidth} height={strip.height} />
        {unknown.map(({ from, to }) => {
          const x = xOf(from, span, geometry);
          const width = xOf(to, span, geometry) - x;
          const { top, height } = strip;
          return <rect key={from} x={x} y={top} width={width} height={height} fill={`url(#${hatch})`} data-gap="" />;
        })}
        <path d={path} fill={colorOf(column)} data-on={exact ? 'phases' : 'days'} />
      </g>
    </g>
  ));
}
