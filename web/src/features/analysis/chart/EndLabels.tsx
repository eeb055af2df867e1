import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { spreadLabels } from '@/ui/chart/endLabels';
import { type Measure, truncateToWidth } from '@/ui/chart/measure';
import { indexFrom } from '@/ui/chart/times';
import type { Column } from '../data/column';
import type { Span } from '../data/line';
import css from './AnalysisChart.module.css';
import { type Box, type Geometry, labelStart, stripHeight, stripIn, yIn } from './geometry';
import { colorOf } from './Lines';
import { lineName } from './names';
import type { Panel } from './panels';

interface EndLabelsProps {
  panel: Panel;
  box: Box;
  geometry: Geometry;
  span: Span;
  measure: Measure;
}

/** The length of the piece of line before a name. */
const samplePx = 14;

/** A label further from its line's end has a leader to it. */
const nearPx = 6;

/** The names of the lines in the gutter, each at the height where its line ends. */
export const EndLabels = memo(function EndLabels({ panel, box, geometry, span, measure }: EndLabelsProps) {
  const { t } = useTranslation();
  const y = yIn(panel, box);
  const ends = panel.columns.map((column) => endOf(column, span));
  const wanted = ends.map((value, index) =>
    panel.kind === 'step'
      ? stripIn(box, index).top + stripHeight / 2
      : value === null || panel.bars
        ? box.top + 8 + index * 15
        : Math.min(box.top + box.height, Math.max(box.top, y(value))),
  );
  const heights = spreadLabels(wanted, { top: box.top + 2, height: Math.max(0, box.height - 4) });
  const x = geometry.left + geometry.plotWidth;
  return panel.columns.map((column, index) => {
    const height = heights[index] ?? 0;
    const from = wanted[index] ?? height;
    const name = truncateToWidth(lineName(column, panel.columns, t), geometry.gutter - labelStart, (words) =>
      measure(words, 'name'),
    );
    return (
      <g key={column.key} className={column.compared ? css.comparedName : undefined}>
        <line
          className={css.sample}
          stroke={colorOf(column)}
          strokeWidth={panel.bars || panel.kind === 'step' ? 7 : 2}
          strokeOpacity={column.compared ? 0.5 : 1}
          strokeDasharray={panel.strokes.get(column.key)?.join(' ')}
          x1={x + 9}
          x2={x + 9 + samplePx}
          y1={height}
          y2={height}
        />
        {panel.bars || panel.kind === 'step' || Math.abs(height - from) < nearPx ? null : (
          <path className={css.leader} stroke={colorOf(column)} d={`M${x + 1} ${from}L${x + 7} ${height}`} />
        )}
        <text className={css.name} x={x + labelStart} y={height + 4}>
          {name}
        </text>
      </g>
    );
  });
});

/** The last value in view; null if there is none. */
function endOf({ line: { times, mean } }: Column, span: Span): number | null {
  const after = indexFrom(times, span.to + 1);
  return after > 0 && (times[after - 1] ?? 0) >= span.from ? (mean[after - 1] ?? null) : null;
}
