import { useMemo } from 'react';
import css from './Sparkline.module.css';
import { type SparkPoint, type SparkSpan, sparkHeight, sparkPath, sparkWidth } from './sparkPath';

interface SparklineProps extends SparkSpan {
  points: readonly SparkPoint[];
  /** Grey, because the readings have ended. */
  quiet?: boolean;
}

/** A line without axes; the text beside it says what it shows, so it is hidden from screen readers. */
export function Sparkline({ points, from, to, quiet = false }: SparklineProps) {
  const path = useMemo(() => sparkPath(points, { from, to }), [points, from, to]);
  return (
    <svg
      className={`${css.spark} ${quiet ? css.quiet : ''}`}
      viewBox={`0 0 ${sparkWidth} ${sparkHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {path ? (
        <>
          <path d={path.d} />
          <path className={css.end} d={`M${path.end.x.toFixed(2)} ${path.end.y.toFixed(2)}h0`} />
        </>
      ) : null}
    </svg>
  );
}
