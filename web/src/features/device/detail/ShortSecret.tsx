import { Checkbox } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import css from './ShortSecret.module.css';

interface ShortSecretProps {
  checked: boolean;
  onChange: (short: boolean) => void;
}

/** Whether a secret is short enough to be typed on the device's own keys. */
export function ShortSecret({ checked, onChange }: ShortSecretProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className={css.box}>
      <Checkbox checked={checked} onChange={({ target }) => onChange(target.checked)} aria-describedby={id}>
        {t('device.secret.short')}
      </Checkbox>
      <p className={css.hint} id={id}>
        {t('device.secret.shortHint')}
      </p>
    </div>
  );
}
