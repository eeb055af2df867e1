import { useTranslation } from 'react-i18next';
import { hoursText } from '@/lib/alarm/period';
import { useFormat } from '@/lib/format/format';
import css from './PeriodPresets.module.css';
import { type PeriodValues, type Preset, presets, workdays } from './presets';

/** The most common periods (day, night, workdays), each chosen by one click. */
export function PeriodPresets({ onChange }: { onChange: (part: Partial<PeriodValues>) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { day, night } = presets;
  const means: Record<Preset, string | undefined> = {
    day: hoursText({ ...day, timePeriods: [] }),
    night: hoursText({ ...night, timePeriods: night.slots }),
    workdays: format.weekdays(workdays),
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: screen readers would announce a nested fieldset as another field.
    <div className={css.presets} role="group" aria-label={t('rule.form.presets')}>
      {(['day', 'night', 'workdays'] as const).map((name) => (
        <button key={name} type="button" className={css.preset} onClick={() => onChange(presets[name])}>
          {t(`rule.form.preset.${name}`)} <span className={css.means}>{means[name]}</span>
        </button>
      ))}
    </div>
  );
}
