import { useTranslation } from 'react-i18next';
import type { SoilMarks } from '../data/attributes';
import { NumberField } from './CompareField';
import css from './controls.module.css';

interface SoilFieldProps {
  /** The marks that are drawn: those of the address, else those of the product. */
  marks: Partial<SoilMarks>;
  onChange: (next: Partial<SoilMarks>) => void;
}

/** The moisture at field capacity and at which to irrigate; empty: that of the product. */
export function SoilField({ marks, onChange }: SoilFieldProps) {
  const { t } = useTranslation();
  const { full, refill } = marks;
  const order = full !== undefined && refill !== undefined && refill >= full ? t('analysis.soil.order') : undefined;
  return (
    <div className={css.field}>
      <NumberField
        label={t('analysis.soil.full')}
        value={full}
        low={0}
        high={100}
        onChange={(next) => onChange({ full: next })}
      />
      <NumberField
        label={t('analysis.soil.refill')}
        value={refill}
        low={0}
        high={100}
        error={order}
        onChange={(next) => onChange({ refill: next })}
      />
    </div>
  );
}
