import { useTranslation } from 'react-i18next';
import { Field } from '@/ui/form/Field';
import { Select } from '@/ui/Select';
import css from './fields.module.css';
import type { DataSource } from './values';

interface SourceFieldProps {
  value: DataSource | null;
  onChange: (value: DataSource | null) => void;
  error: string | undefined;
}

/** The source of a rule's readings. There is only one source, so a new rule already has it. */
export function SourceField({ value, onChange, error }: SourceFieldProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('rule.form.source')} required error={error}>
      {({ status: _, ...labels }) => (
        <Select
          {...labels}
          className={css.device}
          value={value ?? ''}
          onChange={({ target }) => onChange(target.value === '' ? null : 1)}
        >
          <option value="">{t('rule.form.sourcePlaceholder')}</option>
          <option value={1}>{t('rule.form.sources.1')}</option>
        </Select>
      )}
    </Field>
  );
}
