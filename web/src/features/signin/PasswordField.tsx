import EyeInvisibleOutlined from '@ant-design/icons/EyeInvisibleOutlined';
import EyeOutlined from '@ant-design/icons/EyeOutlined';
import LockOutlined from '@ant-design/icons/LockOutlined';
import { type ComponentProps, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from './Field';
import css from './PasswordField.module.css';

/** A field for a password, which can be revealed. */
export function PasswordField(field: Omit<ComponentProps<typeof Field>, 'icon' | 'type' | 'after'>) {
  const { t } = useTranslation();
  const [revealed, setRevealed] = useState(false);
  const label = t(revealed ? 'signin.hidePassword' : 'signin.showPassword');
  return (
    <Field
      {...field}
      icon={<LockOutlined />}
      type={revealed ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={256}
      after={
        <button
          type="button"
          className={css.reveal}
          aria-label={label}
          title={label}
          onClick={() => setRevealed(!revealed)}
        >
          {revealed ? <EyeOutlined aria-hidden="true" /> : <EyeInvisibleOutlined aria-hidden="true" />}
        </button>
      }
    />
  );
}
