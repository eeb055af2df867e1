import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useLanguage } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { DatePicker, pickerDay } from '@/ui/form/DatePicker';
import { Select } from '@/ui/Select';
import type { AnalysisSearch } from '../search';
import css from './controls.module.css';
import { NumberField } from './NumberField';

interface CompareFieldProps {
  compare: AnalysisSearch['compare'];
  /** MM-DD. */
  since: string;
  /** °C. */
  base: number;
  onChange: (next: Pick<AnalysisSearch, 'compare' | 'since' | 'base'>) => void;
}

/** A leap year has every day. */
const anyYear = 2024;

/** What the lines are compared with; for degree days, since when and above what they are counted. */
export function CompareField({ compare, since, base, onChange }: CompareFieldProps) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  const id = useId();
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={id}>
        {t('analysis.compare.label')}
      </label>
      <Select
        id={id}
        value={compare ?? ''}
        onChange={(event) => onChange({ compare: (event.target.value || undefined) as AnalysisSearch['compare'] })}
      >
        <option value="">{t('analysis.compare.none')}</option>
        <option value="date">{t('analysis.compare.date')}</option>
        <option value="degreeDays">{t('analysis.compare.degreeDays')}</option>
      </Select>
      {compare === 'degreeDays' ? (
        <>
          <label className={css.label} htmlFor={`${id}-since`}>
            {t('analysis.compare.since')}
          </label>
          <DatePicker
            id={`${id}-since`}
            className={css.since}
            value={pickerDay(`${anyYear}-${since}`)}
            format={descriptors[language].pickerYearless}
            allowClear={false}
            onChange={(day) => {
              const picked = Array.isArray(day) ? day[0] : day;
              if (picked) onChange({ since: picked.format('MM-DD') });
            }}
          />
          <NumberField
            label={t('analysis.compare.base')}
            value={base}
            low={-20}
            high={40}
            onChange={(next) => onChange({ base: next })}
          />
        </>
      ) : null}
    </div>
  );
}
