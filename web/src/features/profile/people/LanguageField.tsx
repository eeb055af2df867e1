import { useTranslation } from 'react-i18next';
import { languages } from '@/lib/i18n/i18n';
import { Field } from '@/ui/form/Field';
import { Select } from '@/ui/Select';
import css from './fields.module.css';

interface LanguageFieldProps {
  /** Empty: the farm's. */
  language: string;
  hint: string;
  onChange: (language: string) => void;
}

/** The language of a person's mails. */
export function LanguageField({ language, hint, onChange }: LanguageFieldProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('people.language')} hint={hint}>
      {({ status: _, ...labels }) => (
        <Select {...labels} className={css.select} value={language} onChange={({ target }) => onChange(target.value)}>
          <option value="">{t('channel.form.languageOwn')}</option>
          {languages.map(({ code, name, tag }) => (
            <option key={code} value={code} lang={tag}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
