import { useMutation, useQuery } from '@tanstack/react-query';
import { Button, Input, type InputRef } from 'antd';
import { useTranslation } from 'react-i18next';
import { api } from '@/lib/http/api';
import { consoleSettingsQuery } from '@/lib/http/queries';
import { Field } from '@/ui/form/Field';
import type { FieldState } from '@/ui/form/useForm';
import { startCodeWait, useCodeWaitSeconds } from './codeWait';

/** The server's number for "a code for the signed-in user". */
export const codeScene = 2;

interface CodeFieldProps {
  value: string;
  onChange: (value: string) => void;
  field: FieldState<'phone.codeRequired'>;
  /** Returns the number to send to; null if there is no valid one. */
  number: () => string | null;
  /** Formats the number for sentences. */
  say: (number: string) => string;
  /** The hint before anything has been sent. */
  hint?: string;
  disabled?: boolean;
  onSent: () => void;
}

/** A field for the code of a text message, and the button that sends one, at most once a minute. */
export function CodeField({ value, onChange, field, number, say, hint, disabled = false, onSent }: CodeFieldProps) {
  const { t } = useTranslation();
  const seconds = useCodeWaitSeconds();
  const logged = useQuery(consoleSettingsQuery()).data?.smsLogged ?? false;
  const send = useMutation({
    mutationFn: async (mobile: string) => {
      await api.post('/app-api/member/auth/send-sms-code', { body: { mobile, scene: codeScene } });
      return mobile;
    },
    onSuccess: () => {
      startCodeWait();
      onSent();
    },
  });
  const sent = send.data === undefined ? '' : t(logged ? 'phone.logged' : 'phone.sent', { number: say(send.data) });

  const onSend = () => {
    const to = number();
    if (to !== null) send.mutate(to);
  };

  return (
    <>
      <Field
        label={t('phone.code')}
        required
        error={field.error ? t(field.error) : undefined}
        hint={sent || (logged ? t('channel.logged') : hint)}
        after={
          <Button onClick={onSend} loading={send.isPending} disabled={disabled || seconds > 0}>
            {seconds > 0 ? t('phone.again', { seconds }) : t('phone.send')}
          </Button>
        }
      >
        {(labels) => (
          <Input
            {...labels}
            ref={field.ref as (input: InputRef | null) => void}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            onBlur={field.onBlur}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={12}
            disabled={disabled}
          />
        )}
      </Field>
      <span className="visually-hidden" role="status">
        {sent}
      </span>
    </>
  );
}
