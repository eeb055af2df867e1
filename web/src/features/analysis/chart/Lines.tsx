import { useMemo } from 'react';
import type { Axis, Column } from '../data/column';
import type { Span } from '../data/line';
import css from './AnalysisChart.module.css';
import type { Geometry } from './geometry';
import type { Panel } from './panels';
import { bandPath, linePath, type Run, runsOf } from './runs';

interface LinesProps {
  panel: Panel;
  geometry: Geometry;
  axis: Axis;
  span: Span;
  band: boolean;
  y: (value: number) => number;
}

/** The means of each line with what lies between low and high; directions are dots. */
export function Lines({ panel, geometry, axis, span, band, y }: LinesProps) {
  const { left, plotWidth } = geometry;
  const drawn = useMemo(
    () =>
      panel.columns.map((column) => ({
        column,
        runs: runsOf(column.line, { axis, span, left, width: plotWidth }),
      })),
    [panel.columns, axis, span, left, plotWidth],
  );
  return (
    <>
      {band
        ? drawn.map(({ column, runs }) =>
            column.kind === 'line' && hasBand(column, runs) ? (
              <path
                key={column.key}
                className={column.compared ? css.comparedBand : css.band}
                fill={colorOf(column)}
                d={runs.map((run) => bandPath(run, y)).join('')}
              />
            ) : null,
          )
        : null}
      {drawn.map(({ column, runs }) => (
        <g key={column.key} className={column.compared ? css.compared : undefined} data-line={column.key}>
          {column.kind === 'direction' ? (
            <Dots runs={runs} y={y} fill={colorOf(column)} />
          ) : (
            <>
              <path
                className={css.line}
                stroke={colorOf(column)}
                strokeDasharray={panel.strokes.get(column.key)?.join(' ')}
                d={runs.map((run) => linePath(run, y)).join('')}
              />
              <Dots runs={runs.filter((run) => run.length === 1)} y={y} fill={colorOf(column)} />
            </>
          )}
        </g>
      ))}
    </>
  );
}

export const colorOf = ({ color }: Pick<Column, 'color'>) => `var(--device${color + 1})`;

/** Single readings, a pixel apart, have no band. */
function hasBand({ line }: Column, runs: readonly Run[]): boolean {
  return line.resolution !== 'raw' || runs.some((run) => run.some(({ low, high }) => low < high));
}

/** Values without a line to a neighbour. */
function Dots({ runs, y, fill }: { runs: readonly Run[]; y: (value: number) => number; fill: string }) {
  return runs.flatMap((run) => run.map(({ x, mean }) => <circle key={x} cx={x} cy={y(mean)} r={1.75} fill={fill} />));
}
