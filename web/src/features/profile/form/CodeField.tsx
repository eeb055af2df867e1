import { useMutation } from '@tanstack/react-query';
import { Button, Input, type InputRef } from 'antd';
import { useTranslation } from 'react-i18next';
import { api } from '@/lib/http/api';
import { Field } from '@/ui/form/Field';
import type { FieldState } from '@/ui/form/useForm';
import { startCodeWait, useCodeWaitSeconds } from './codeWait';

/** What the server takes as "a code for the signed-in person". */
export const codeScene = 2;

interface CodeFieldProps {
  value: string;
  onChange: (value: string) => void;
  field: FieldState<'phone.codeRequired'>;
  /** The number to send to, asked when it is time; null when there is none that could be. */
  number: () => string | null;
  /** How that number is written in sentences. */
  say: (number: string) => string;
  /** Before anything was sent. */
  hint?: string;
  disabled?: boolean;
  onSent: () => void;
}

/** A code from a message, and the button that has it sent: once a minute. */
export function CodeField({ value, onChange, field, number, say, hint, disabled = false, onSent }: CodeFieldProps) {
  const { t } = useTranslation();
  const seconds = useCodeWaitSeconds();
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
  const sentTo = send.data;

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
        hint={sentTo ? t('phone.sent', { number: say(sentTo) }) : hint}
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
        {sentTo ? t('phone.sent', { number: say(sentTo) }) : ''}
      </span>
    </>
  );
}
