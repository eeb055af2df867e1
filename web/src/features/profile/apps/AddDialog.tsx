import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Input, type InputRef } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { toast } from '@/lib/feedback/feedback';
import { now } from '@/lib/format/clock';
import { api } from '@/lib/http/api';
import { isVisibleName } from '@/lib/text/visibleName';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { useForm } from '@/ui/form/useForm';
import { Note } from '@/ui/Note';
import { AccessFields } from './AccessFields';
import css from './AddDialog.module.css';
import { type AccessValues, expiryTime, type Scope, scopesOf } from './access';
import { keepSecret } from './freshSecret';
import { credentialKey } from './queries';
import { refusalOf } from './refusal';

interface AddDialogProps {
  open: boolean;
  onClose: () => void;
  onMade: () => void;
}

type Values = AccessValues & { name: string };

// A key lies in some program's settings: it begins with the least that most programs need, which is to read, and ends by
// itself. Only owners make keys, so any role is theirs to give.
const atFirst: Values = { name: '', role: 'viewer', ticked: ['read'], expiry: 'year', day: '' };

export function AddDialog({ open, onClose, onMade }: AddDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const [values, setValues] = useState(atFirst);
  const scopes = scopesOf(values);

  const create = useMutation({
    mutationFn: (wanted: components['schemas']['CredentialCreate']) =>
      api.post('/admin-api/client/pc/apicredentials/create', { body: wanted }),
    // The secret is kept in a single place, from which the user dismisses it.
    gcTime: 0,
    meta: { shows: [601], failure: 'common.saveFail' },
    onSuccess: (made) => {
      keepSecret(made);
      toast.success(t('app.addOk'));
      onMade();
    },
    // Also after a failure: if the answer was lost, the key exists, opens the data, and must be
    // visible.
    onSettled: () => void client.invalidateQueries({ queryKey: credentialKey }),
  });

  const form = useForm<
    { name: string; scopes: readonly Scope[]; day: string },
    'common.nameRequired' | 'app.scopesRequired' | 'app.dayRequired'
  >({
    values: { name: values.name, scopes, day: values.day },
    check: ({ name }) => ({
      ...(isVisibleName(name) ? {} : { name: 'common.nameRequired' }),
      ...(scopes.length > 0 ? {} : { scopes: 'app.scopesRequired' }),
      ...(values.expiry === 'day' && values.day === '' ? { day: 'app.dayRequired' } : {}),
    }),
    busy: create.isPending,
    onSubmit: ({ name }) =>
      create.mutate({ name: name.trim(), role: values.role, scopes, expiryTime: expiryTime(values, now()) }),
  });
  const [name, chosen, day] = [form.field('name'), form.field('scopes'), form.field('day')];
  const refusal = refusalOf(create.error, t);
  const refused = (field: 'role' | 'scopes' | 'expiryTime') => (refusal?.field === field ? refusal.text : undefined);
  const change = (part: Partial<Values>) => {
    setValues((before) => ({ ...before, ...part }));
    // What the server said of a field no longer holds once the field is changed.
    if (refusal && refusal.field !== 'form') create.reset();
  };

  return (
    <Dialog
      open={open}
      title={t('app.new')}
      onClose={onClose}
      onClosed={() => {
        setValues(atFirst);
        form.forget();
        create.reset();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={create.isPending}>
            {t('app.create')}
          </SendButton>
        </>
      }
    >
      <form id={id} onSubmit={form.submit} noValidate>
        {refusal?.field === 'form' ? (
          <div className={css.error}>
            <Note tone="wrong" title={t('common.saveFail')}>
              {refusal.text}
            </Note>
          </div>
        ) : null}
        <Field label={t('app.name')} required error={name.error && t(name.error)} hint={t('app.nameHint')}>
          {(labels) => (
            <Input
              {...labels}
              ref={name.ref as (input: InputRef | null) => void}
              autoFocus
              value={values.name}
              onChange={(event) => change({ name: event.target.value })}
              onBlur={name.onBlur}
              autoComplete="off"
              maxLength={64}
            />
          )}
        </Field>
        <AccessFields
          values={values}
          errors={{
            role: refused('role'),
            scopes: chosen.error ? t(chosen.error) : refused('scopes'),
            expiryTime: refused('expiryTime'),
            day: day.error && t(day.error),
          }}
          scopesRef={chosen.ref}
          dayRef={day.ref}
          onChange={change}
        />
      </form>
    </Dialog>
  );
}
