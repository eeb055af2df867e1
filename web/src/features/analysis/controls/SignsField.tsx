import { Select } from 'antd';
import { useId, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { foldForSearch } from '@/lib/text/foldForSearch';
import type { Attribute } from '../data/attributes';
import { maxSigns } from '../search';
import css from './controls.module.css';

interface SignsFieldProps {
  attributes: readonly Attribute[];
  signs: readonly string[];
  onChange: (signs: readonly string[]) => void;
}

/** The attributes that are drawn of every device that has them. */
export function SignsField({ attributes, signs, onChange }: SignsFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const id = useId();
  const options = useMemo(
    () =>
      attributes.map(({ sign, name, unit: given }) => {
        const unit = format.unit(given, name);
        return { value: sign, label: unit === '' ? name : t('analysis.head', { name, unit }) };
      }),
    [attributes, format, t],
  );
  const known = signs.filter((sign) => attributes.some((attribute) => attribute.sign === sign));
  return (
    <div className={css.signs}>
      <label className={css.label} htmlFor={id}>
        {t('analysis.signs.label')}
      </label>
      <Select
        id={id}
        mode="multiple"
        className={css.select}
        value={known}
        options={options}
        onChange={onChange}
        showSearch={{
          filterOption: (text, option) => foldForSearch(option?.label ?? '').includes(foldForSearch(text)),
        }}
        maxCount={maxSigns}
        maxTagCount="responsive"
        placeholder={t('analysis.signs.placeholder')}
        notFoundContent={t('history.noneFound')}
      />
    </div>
  );
}
