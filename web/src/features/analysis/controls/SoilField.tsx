import { useTranslation } from 'react-i18next';
import type { SoilMarks } from '../data/attributes';
import css from './controls.module.css';
import { NumberField } from './NumberField';

interface SoilFieldProps {
  /** The marks that are drawn: those of the address, else those of the product. */
  marks: Partial<SoilMarks>;
  onChange: (next: Partial<SoilMarks>) => void;
}

/** The moisture at field capacity and at which to irrigate; empty: that of the product. */
export function SoilField({ marks, onChange }: SoilFieldProps) {
  const { t } = useTranslation();
  const { full, refill } = marks;
  return (
    <div className={css.field}>
      <NumberField
        label={t('analysis.soil.full')}
        value={full}
        low={0}
        high={100}
        reasonAgainst={(next) => (refill !== undefined && next <= refill ? t('analysis.soil.orderFull') : undefined)}
        onChange={(next) => onChange({ full: next })}
      />
      <NumberField
        label={t('analysis.soil.refill')}
        value={refill}
        low={0}
        high={100}
        reasonAgainst={(next) => (full !== undefined && next >= full ? t('analysis.soil.order') : undefined)}
        onChange={(next) => onChange({ refill: next })}
      />
    </div>
  );
}
