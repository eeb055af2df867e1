import { useTranslation } from 'react-i18next';
import type { SoilMarks } from '../data/attributes';
import css from './AnalysisChart.module.css';
import type { Box } from './geometry';

interface SoilZonesProps {
  marks: SoilMarks;
  box: Box;
  left: number;
  width: number;
  y: (value: number) => number;
}

/** Behind a moisture: too wet above the full mark, good below it, dry below the refill mark. */
export function SoilZones({ marks, box, left, width, y }: SoilZonesProps) {
  const { t } = useTranslation();
  const bottom = box.top + box.height;
  const inside = (height: number) => Math.min(bottom, Math.max(box.top, height));
  const full = inside(y(marks.full));
  const refill = inside(y(marks.refill));
  const zones = [
    { className: css.wet, from: box.top, to: full },
    { className: css.good, from: full, to: refill },
    { className: css.dry, from: refill, to: bottom },
  ];
  return (
    <>
      {zones.map(({ className, from, to }) => (
        <rect key={className} className={className} x={left} y={from} width={width} height={Math.max(0, to - from)} />
      ))}
      <line className={css.fullMark} x1={left} x2={left + width} y1={full} y2={full} />
      <line className={css.refillMark} x1={left} x2={left + width} y1={refill} y2={refill} />
      <text className={`${css.markName} ${css.fullName}`} x={left + width - 6} y={full - 4} textAnchor="end">
        {t('analysis.soil.fullMark')}
      </text>
      <text className={`${css.markName} ${css.refillName}`} x={left + width - 6} y={refill + 12} textAnchor="end">
        {t('analysis.soil.refillMark')}
      </text>
    </>
  );
}
