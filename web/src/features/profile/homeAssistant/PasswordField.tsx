import { Button, type InputRef } from 'antd';
import { useTranslation } from 'react-i18next';
import { Field } from '@/ui/form/Field';
import { PasswordInput } from '../form/PasswordInput';
import css from './PasswordField.module.css';
import type { Values } from './values';

interface PasswordFieldProps {
  label: string;
  /** Whether the server has a password, which it never shows. */
  stored: boolean;
  /** Whether saving removes it. */
  removes: boolean;
  value: string;
  error?: string;
  inputRef: (element: { focus: () => void } | null) => void;
  onChange: (part: Partial<Values>) => void;
}

/** The password of the broker: the stored one stays, is replaced, or is removed. */
export function PasswordField({ label, stored, removes, value, error, inputRef, onChange }: PasswordFieldProps) {
  const { t } = useTranslation();
  const keeps = stored && value === '';
  const hint = removes ? t('homeAssistant.passwordRemoved') : t('homeAssistant.passwordKept');
  return (
    <Field
      label={label}
      error={error}
      hint={keeps ? hint : undefined}
      below={
        keeps ? (
          <Button size="small" className={css.remove} onClick={() => onChange({ removesPassword: !removes })}>
            {t(removes ? 'homeAssistant.passwordKeep' : 'homeAssistant.passwordRemove')}
          </Button>
        ) : null
      }
    >
      {(labels) => (
        <PasswordInput
          {...labels}
          ref={inputRef as (input: InputRef | null) => void}
          value={value}
          placeholder={keeps && !removes ? '••••••••' : undefined}
          onChange={({ target }) => onChange({ password: target.value, removesPassword: false })}
          maxLength={256}
        />
      )}
    </Field>
  );
}
