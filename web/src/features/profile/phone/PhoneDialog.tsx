import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Button, Input, type InputRef } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { consoleSettingsQuery, userQuery } from '@/lib/http/queries';
import { maskNumber, normalizeNumber } from '@/lib/text/phoneNumber';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { type FieldState, useForm } from '@/ui/form/useForm';
import { Note } from '@/ui/Note';
import { CodeField, codeScene } from '../form/CodeField';
import { checkPhone, type PhoneError, type PhoneForm } from './rules';

interface PhoneDialogProps {
  open: boolean;
  /** The currently bound number, empty if there is none. */
  bound: string;
  onClose: () => void;
}

/** Binds a first or another mobile number with a code that was sent to it. */
export function PhoneDialog({ open, bound, onClose }: PhoneDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const [busy, setBusy] = useState(false);
  // The dialog keeps its purpose while it closes, although the number is bound by then.
  const [first, setFirst] = useState(bound === '');
  const [wasOpen, setWasOpen] = useState(open);
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setFirst(bound === '');
  }
  const sms = useQuery(consoleSettingsQuery()).data?.sms ?? true;
  return (
    <Dialog
      open={open}
      title={t(first ? 'phone.bindTitle' : 'phone.updateTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={busy} disabled={!sms}>
            {t(first ? 'phone.bind' : 'phone.update')}
          </SendButton>
        </>
      }
    >
      {sms ? (
        <Form id={id} bound={first ? '' : bound} onBusy={setBusy} onDone={onClose} />
      ) : (
        <Note tone="warn" title={t('channel.smsOff')}>
          {t('profile.smsOffText')}
        </Note>
      )}
    </Dialog>
  );
}

interface FormProps {
  id: string;
  bound: string;
  onBusy: (busy: boolean) => void;
  onDone: () => void;
}

function Form({ id, bound, onBusy, onDone }: FormProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [values, setValues] = useState<PhoneForm>({ mobile: '', code: '' });

  const save = useMutation({
    mutationFn: (form: PhoneForm) => {
      const body = { mobile: normalizeNumber(form.mobile), scene: codeScene, code: form.code.trim() };
      return bound === ''
        ? api.post('/app-api/member/auth/validate-sms-code', { body })
        : api.put('/app-api/member/user/update-mobile', { body });
    },
    meta: { failure: 'phone.fail', tone: 'error' },
    onMutate: () => onBusy(true),
    onSuccess: async () => {
      toast.success(t('phone.ok'));
      await client.invalidateQueries({ queryKey: userQuery().queryKey });
      onDone();
    },
    onSettled: () => onBusy(false),
  });

  const form = useForm<PhoneForm, PhoneError>({
    values,
    check: checkPhone,
    busy: save.isPending,
    onSubmit: (wanted) => save.mutate(wanted),
  });
  const mobile = form.field('mobile');

  return (
    <form id={id} onSubmit={form.submit} noValidate>
      <Field
        label={t('profile.mobile')}
        required
        error={mobile.error && t(mobile.error)}
        hint={bound === '' ? undefined : t('phone.now', { number: maskNumber(bound) })}
      >
        {(labels) => (
          <Input
            {...labels}
            ref={mobile.ref as (input: InputRef | null) => void}
            autoFocus
            value={values.mobile}
            onChange={(event) => setValues({ ...values, mobile: event.target.value })}
            onBlur={mobile.onBlur}
            type="tel"
            autoComplete="tel"
            maxLength={32}
          />
        )}
      </Field>
      <CodeField
        value={values.code}
        onChange={(code) => setValues({ ...values, code })}
        field={form.field('code') as FieldState<'phone.codeRequired'>}
        number={() => (form.demand('mobile') ? normalizeNumber(values.mobile) : null)}
        say={(number) => number}
        onSent={() => form.focus('code')}
      />
    </form>
  );
}
