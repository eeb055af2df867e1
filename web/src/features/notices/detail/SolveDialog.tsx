import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Input } from 'antd';
import { useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refetchNotices } from '@/lib/alarm/notices';
import { notSentText, refuseOffline } from '@/lib/alarm/notSent';
import { toast } from '@/lib/feedback/feedback';
import { useFormat } from '@/lib/format/format';
import { api } from '@/lib/http/api';
import { formErrorText } from '@/lib/http/errorText';
import { useOffline } from '@/lib/offline/reachability';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { Note } from '@/ui/Note';
import type { AlarmDetail } from '../queries';
import css from './SolveDialog.module.css';
import { stillHoldsText } from './stillHolds';
import { useFreshReadings } from './useFreshReadings';

const maxNoteLength = 500;

interface SolveDialogProps {
  detail: AlarmDetail;
  open: boolean;
  onClose: () => void;
  /** The user acknowledges the notice instead; the typed remark is passed on. */
  onAcknowledge: (remark: string) => void;
}

/**
 * Ends an open notice manually, with a remark. While its conditions still hold, it offers to
 * acknowledge the notice first.
 */
export function SolveDialog({ detail, open, onClose, onAcknowledge }: SolveDialogProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const offline = useOffline();
  const formId = useId();
  const [remark, setRemark] = useState('');
  /** The other dialog opens only after this one has closed, so that the focus follows. */
  const acknowledgeAfterClose = useRef(false);
  const { id, title, ack } = detail.alarmNotice;
  const acknowledged = ack !== undefined;
  useFreshReadings(detail, open);
  const length = [...remark.trim()].length;
  const solve = useMutation({
    mutationFn: () =>
      api.put('/admin-api/client/pc/alarm-notice/resolve', { body: { id, remark: remark.trim() || undefined } }),
    meta: { shows: [601] },
    onSuccess: () => {
      toast.success(t('inform.solve.done'));
      onClose();
    },
    // After a refusal too: the notice may have ended meanwhile, and the page then shows it.
    onSettled: () => void refetchNotices(client),
  });
  const refused = formErrorText(solve.error);
  const stillHolds = stillHoldsText(detail, format, t);
  return (
    <Dialog
      open={open}
      title={t('inform.solve.title')}
      onClose={onClose}
      onClosed={() => {
        if (acknowledgeAfterClose.current) onAcknowledge(remark.trim());
        acknowledgeAfterClose.current = false;
        setRemark('');
        solve.reset();
      }}
      firm={remark !== ''}
      width={440}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={formId} loading={solve.isPending} type={stillHolds ? 'default' : 'primary'}>
            {t('inform.solve.button')}
          </SendButton>
          {stillHolds ? (
            <Button
              type="primary"
              disabled={solve.isPending}
              onClick={() => {
                if (refuseOffline(acknowledged)) return;
                acknowledgeAfterClose.current = true;
                onClose();
              }}
            >
              {t('inform.ack.button')}
            </Button>
          ) : null}
        </>
      }
    >
      <form
        id={formId}
        className={css.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (solve.isPending || length > maxNoteLength || refuseOffline(acknowledged)) return;
          solve.mutate();
        }}
      >
        <p className={css.name}>{title}</p>
        {stillHolds ? <Note tone="warn">{stillHolds}</Note> : <p className={css.text}>{t('inform.solve.text')}</p>}
        <Field
          label={t('inform.solve.remark')}
          hint={t('inform.solve.hint')}
          error={length > maxNoteLength ? t('inform.solve.tooLong', { most: maxNoteLength }) : undefined}
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
        {offline ? <Note tone="warn">{notSentText(t, acknowledged)}</Note> : null}
      </form>
    </Dialog>
  );
}
