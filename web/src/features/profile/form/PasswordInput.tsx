import EyeInvisibleOutlined from '@ant-design/icons/EyeInvisibleOutlined';
import EyeOutlined from '@ant-design/icons/EyeOutlined';
import { Input, type InputProps, type InputRef } from 'antd';
import { type Ref, useState } from 'react';
import { useTranslation } from 'react-i18next';
import css from './PasswordInput.module.css';

/** A field for a password, a new one unless `autoComplete` says otherwise, which can be revealed while typing. */
export function PasswordInput({ ref, ...input }: InputProps & { ref?: Ref<InputRef> }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState(false);
  const label = t(shown ? 'signin.hidePassword' : 'signin.showPassword');
  return (
    <Input
      autoComplete="new-password"
      {...input}
      ref={ref}
      className={css.input}
      type={shown ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      suffix={
        <button type="button" className={css.reveal} aria-label={label} title={label} onClick={() => setShown(!shown)}>
          {shown ? <EyeOutlined aria-hidden="true" /> : <EyeInvisibleOutlined aria-hidden="true" />}
        </button>
      }
    />
  );
}
