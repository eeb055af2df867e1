import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Input, type InputRef } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { createErrorText } from '@/lib/http/createErrorText';
import { isVisibleName } from '@/lib/text/visibleName';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { useForm } from '@/ui/form/useForm';
import { Note } from '@/ui/Note';
import css from './AddDialog.module.css';
import { keepSecret } from './freshSecret';
import { credentialKey } from './queries';

interface AddDialogProps {
  open: boolean;
  onClose: () => void;
  onMade: () => void;
}

export function AddDialog({ open, onClose, onMade }: AddDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const [name, setName] = useState('');

  const create = useMutation({
    mutationFn: (wanted: string) => api.post('/admin-api/client/pc/apicredentials/create', { body: { name: wanted } }),
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

  const form = useForm<{ name: string }, 'common.nameRequired'>({
    values: { name },
    check: (values) => (isVisibleName(values.name) ? {} : { name: 'common.nameRequired' }),
    busy: create.isPending,
    onSubmit: (values) => create.mutate(values.name.trim()),
  });
  const field = form.field('name');
  const failure = createErrorText(create.error);

  return (
    <Dialog
      open={open}
      title={t('app.new')}
      onClose={onClose}
      onClosed={() => {
        setName('');
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
        {failure ? (
          <div className={css.error}>
            <Note tone="wrong" title={t('common.saveFail')}>
              {failure}
            </Note>
          </div>
        ) : null}
        <Field label={t('app.name')} required error={field.error && t(field.error)} hint={t('app.nameHint')}>
          {(labels) => (
            <Input
              {...labels}
              ref={field.ref as (input: InputRef | null) => void}
              autoFocus
              value={name}
              onChange={(event) => setName(event.target.value)}
              onBlur={field.onBlur}
              autoComplete="off"
              maxLength={64}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
