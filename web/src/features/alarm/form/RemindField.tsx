import { useTranslation } from 'react-i18next';
import { spanText } from '@/lib/alarm/sentence';
import { reminders } from '@/lib/alarm/types';
import { useLanguage } from '@/lib/i18n/i18n';
import { Field } from '@/ui/form/Field';
import { Select } from '@/ui/Select';
import css from './fields.module.css';

interface RemindFieldProps {
  /** Minutes; null: no reminders. */
  value: number | null;
  onChange: (remindEvery: number | null) => void;
  error: string | undefined;
}

/** How often people are reminded of an alarm that is still open. */
export function RemindField({ value, onChange, error }: RemindFieldProps) {
  const { t } = useTranslation();
  const language = useLanguage((state) => state.language);
  // An API client may have set an interval that the list does not offer.
  const offered = value === null || reminders.includes(value) ? reminders : [...reminders, value].sort((a, b) => a - b);
  return (
    <Field label={t('rule.form.remind')} error={error} hint={value === null ? undefined : t('rule.form.remindHint')}>
      {({ status: _, ...labels }) => (
        <Select
          {...labels}
          className={css.device}
          value={value ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? null : Number(target.value))}
        >
          <option value="">{t('rule.form.remindNone')}</option>
          {offered.map((minutes) => (
            <option key={minutes} value={minutes}>
              {t('rule.form.remindEvery', { span: spanText(minutes, language) })}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
