import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Input } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/lib/api';
import { formText } from '@/lib/errorText';
import { toast } from '@/lib/notices';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { Note } from '@/ui/Note';
import { refetchNotices } from '../queries';
import css from './SolveDialog.module.css';

const most = 500;

interface SolveDialogProps {
  id: number;
  name: string;
  open: boolean;
  onClose: () => void;
}

/** Ends an open notice by hand, with what is to be remembered of it. */
export function SolveDialog({ id, name, open, onClose }: SolveDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const formId = useId();
  const [remark, setRemark] = useState('');
  const length = [...remark.trim()].length;
  const solve = useMutation({
    mutationFn: () =>
      api.put('/admin-api/client/pc/alarm-notice/resolve', { body: { id, remark: remark.trim() || undefined } }),
    meta: { shows: [601] },
    onSuccess: () => {
      toast.success(t('inform.solve.done'));
      onClose();
    },
    // Refused, it may have ended meanwhile: the page then says so.
    onSettled: () => void refetchNotices(client),
  });
  const refused = formText(solve.error);
  return (
    <Dialog
      open={open}
      title={t('inform.solve.title')}
      onClose={onClose}
      onClosed={() => {
        setRemark('');
        solve.reset();
      }}
      firm={remark !== ''}
      width={440}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={formId} loading={solve.isPending}>
            {t('inform.solve.button')}
          </SendButton>
        </>
      }
    >
      <form
        id={formId}
        className={css.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!solve.isPending && length <= most) solve.mutate();
        }}
      >
        <p className={css.name}>{name}</p>
        <p className={css.text}>{t('inform.solve.text')}</p>
        <Field
          label={t('inform.solve.remark')}
          hint={t('inform.solve.hint')}
          error={length > most ? t('inform.solve.tooLong', { most }) : undefined}
        >
          {(labels) => (
            <Input.TextArea
              {...labels}
              autoSize={{ minRows: 3, maxRows: 8 }}
              value={remark}
              onChange={(event) => setRemark(event.target.value)}
            />
          )}
        </Field>
        {refused ? <Note tone="wrong">{refused}</Note> : null}
      </form>
    </Dialog>
  );
}
