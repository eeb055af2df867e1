import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Input, Segmented } from 'antd';
import { type KeyboardEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Ack, refetchNotices } from '@/lib/alarm/notices';
import { notSentText, refuseOffline } from '@/lib/alarm/notSent';
import { toast } from '@/lib/feedback/feedback';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { api } from '@/lib/http/api';
import { formErrorText } from '@/lib/http/errorText';
import { useOffline } from '@/lib/offline/reachability';
import { Dialog } from '../Dialog';
import { Field } from '../form/Field';
import { SendButton } from '../form/SendButton';
import { Note } from '../Note';
import css from './AckDialog.module.css';

const maxNoteLength = 500;
const hourMs = 3_600_000;
/** The choices of hours until reminders continue. */
const hourChoices = [1, 4, 12] as const;
const defaultHours = 4;

interface AckDialogProps {
  id: number;
  name: string;
  open: boolean;
  /** Somebody is on it, perhaps the user. */
  acknowledged: boolean;
  /** Another user's acknowledgement, which this one replaces. */
  other: Ack | undefined;
  /** The initial text of the note. */
  note: string;
  onClose: () => void;
}

/** Acknowledges an open notice with a note and a time at which reminders continue. */
export function AckDialog({ id, name, open, acknowledged, other, note: given, onClose }: AckDialogProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const offline = useOffline();
  const [formId, remindId] = [useId(), useId()];
  const [note, setNote] = useState(given);
  const [hours, setHours] = useState<(typeof hourChoices)[number]>(defaultHours);
  const [was, setWas] = useState(open);
  if (open !== was) {
    setWas(open);
    if (open) {
      setNote(given);
      setHours(defaultHours);
    }
  }
  const length = [...note.trim()].length;
  const until = useClock((now) => format.moment(now + hours * hourMs, now));
  const before = useClock((now) => (other ? format.moment(other.time, now) : ''));
  const acknowledge = useMutation({
    mutationFn: () =>
      api.put('/admin-api/client/pc/alarm-notice/acknowledge', {
        body: { id, note: note.trim() || undefined, remindHours: hours },
      }),
    meta: { shows: [601], failure: 'inform.ack.fail' },
    onSuccess: () => {
      toast.success(t('inform.ack.done'));
      onClose();
    },
    // After a refusal too: the notice may have ended meanwhile, and the page then shows it.
    onSettled: () => void refetchNotices(client),
  });
  const refused = formErrorText(acknowledge.error);
  const sendByKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  return (
    <Dialog
      open={open}
      title={t('inform.ack.title')}
      onClose={onClose}
      onClosed={acknowledge.reset}
      firm={note !== given}
      width={440}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={formId} loading={acknowledge.isPending}>
            {t('inform.ack.button')}
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
          if (acknowledge.isPending || length > maxNoteLength || refuseOffline(acknowledged)) return;
          acknowledge.mutate();
        }}
      >
        <p className={css.name}>{name}</p>
        <p className={css.text}>{t('inform.ack.text')}</p>
        {other ? <p className={css.text}>{t('inform.ack.again', { user: other.user, time: before })}</p> : null}
        <Field
          label={t('inform.ack.noteLabel')}
          hint={t('inform.ack.noteHint')}
          error={length > maxNoteLength ? t('inform.solve.tooLong', { most: maxNoteLength }) : undefined}
        >
          {(labels) => (
            <Input.TextArea
              {...labels}
              autoFocus
              autoSize={{ minRows: 2, maxRows: 8 }}
              value={note}
              onChange={(event) => setNote(event.target.value)}
              onKeyDown={sendByKey}
            />
          )}
        </Field>
        <div>
          <p className={css.label}>{t('inform.ack.remind')}</p>
          <Segmented
            block
            aria-label={t('inform.ack.remind')}
            aria-describedby={`${remindId}-hint`}
            value={hours}
            options={hourChoices.map((value) => ({ value, label: format.duration(value * hourMs) }))}
            onChange={setHours}
          />
          <p className={css.hint} id={`${remindId}-hint`}>
            {t('inform.ack.remindHint', { time: until })}
          </p>
        </div>
        {refused ? <Note tone="wrong">{refused}</Note> : null}
        {offline ? <Note tone="warn">{notSentText(t, acknowledged)}</Note> : null}
      </form>
    </Dialog>
  );
}
