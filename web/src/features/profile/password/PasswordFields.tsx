import { useMutation } from '@tanstack/react-query';
import type { InputRef } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { maskNumber } from '@/lib/text/phoneNumber';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { type FieldState, useForm } from '@/ui/form/useForm';
import { Note } from '@/ui/Note';
import { minimumText } from '@/ui/password/minimum';
import { StrengthMeter } from '@/ui/password/StrengthMeter';
import { prepareStrength } from '@/ui/password/useStrength';
import { CodeField } from '../form/CodeField';
import css from '../form/form.module.css';
import { PasswordInput } from '../form/PasswordInput';
import { checkPassword, type PasswordError, type PasswordForm } from './rules';

const empty: PasswordForm = { code: '', password: '', again: '' };

interface PasswordFieldsProps {
  user: components['schemas']['User'];
  /** The minimum length of the password in characters. */
  minimum: number;
}

export function PasswordFields({ user, minimum }: PasswordFieldsProps) {
  const { t } = useTranslation();
  const [values, setValues] = useState(empty);

  const change = useMutation({
    mutationFn: ({ code, password }: PasswordForm) =>
      api.put('/app-api/member/user/update-password', { body: { code: code.trim(), password } }),
    meta: { failure: 'password.fail', tone: 'error' },
    onSuccess: () => {
      toast.success(t('password.ok'));
      setValues(empty);
      form.forget();
    },
  });

  const form = useForm<PasswordForm, PasswordError>({
    values,
    check: (typed) => checkPassword(typed, minimum),
    busy: change.isPending,
    onSubmit: (wanted) => change.mutate(wanted),
  });

  return (
    <form className={css.form} onSubmit={form.submit} noValidate aria-label={t('password.title')}>
      {/* For password managers: the user name of the password. */}
      <input hidden readOnly autoComplete="username" value={user.userName} />
      <CodeField
        value={values.code}
        onChange={(code) => setValues({ ...values, code })}
        field={form.field('code') as FieldState<'phone.codeRequired'>}
        number={() => user.mobile}
        say={maskNumber}
        hint={t('password.codeHint', { number: maskNumber(user.mobile) })}
        onSent={() => form.focus('code')}
      />
      {(['password', 'again'] as const).map((name) => {
        const { error, ref, onBlur } = form.field(name);
        const fresh = name === 'password';
        return (
          <Field
            key={name}
            label={t(fresh ? 'password.new' : 'password.again')}
            required
            error={error && t(error, { least: minimum })}
            hint={fresh ? t(minimumText(minimum), { least: minimum }) : undefined}
            below={fresh ? <StrengthMeter password={values.password} minimum={minimum} person={user} /> : undefined}
          >
            {(labels) => (
              <PasswordInput
                {...labels}
                ref={ref as (input: InputRef | null) => void}
                value={values[name]}
                onChange={(event) => setValues({ ...values, [name]: event.target.value })}
                onFocus={fresh ? prepareStrength : undefined}
                onBlur={onBlur}
              />
            )}
          </Field>
        );
      })}
      <div className={css.note}>
        <Note tone="info">{t('password.others')}</Note>
      </div>
      <SendButton loading={change.isPending} className={css.submit}>
        {t('password.submit')}
      </SendButton>
    </form>
  );
}
