import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmRule } from '@/lib/alarm/types';
import { toast } from '@/lib/feedback/feedback';
import { now } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { useFirstFocus } from '@/lib/hooks/useFirstFocus';
import { api } from '@/lib/http/api';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { ZoneNote } from '@/ui/ZoneNote';
import { refetchRules } from '../queries';
import type { ActionProps } from './DeleteDialog';
import css from './MuteDialog.module.css';
import { fieldTime, type MuteChoice, muteTimes, parseOtherTime } from './muteTimes';
import { useLastValue } from './useLastValue';

/** Asks until when nobody is notified of a rule's alarms. */
export function MuteDialog({ rule, onClose }: ActionProps) {
  const { t } = useTranslation();
  const id = useId();
  const [busy, setBusy] = useState(false);
  const shown = useLastValue(rule);
  return (
    <Dialog
      open={rule !== null}
      title={t('rule.mute.title', { name: shown?.alarmName ?? '' })}
      onClose={onClose}
      width={440}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={busy}>
            {t('rule.mute.submit')}
          </SendButton>
        </>
      }
    >
      {rule ? <Choices key={rule.id} formId={id} rule={rule} onBusy={setBusy} onClose={onClose} /> : null}
    </Dialog>
  );
}

interface ChoicesProps {
  formId: string;
  rule: AlarmRule;
  onBusy: (busy: boolean) => void;
  onClose: () => void;
}

function Choices({ formId, rule, onBusy, onClose }: ChoicesProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const [opened] = useState(now);
  const times = muteTimes(opened);
  const [choice, setChoice] = useState<MuteChoice>('hour');
  const [other, setOther] = useState(() => fieldTime(times.morning));
  const [wrong, setWrong] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const form = useFirstFocus<HTMLFormElement>('input:checked');

  const mute = useMutation({
    mutationFn: (until: number) => api.put('/admin-api/client/pc/alarm-rules/mute', { body: { id: rule.id, until } }),
    meta: { failure: 'rule.mute.fail' },
    onMutate: () => onBusy(true),
    onSuccess: (_, until) => {
      toast.success(t('rule.mute.done', { time: format.moment(until, now()) }));
      void refetchRules(client);
      onClose();
    },
    onSettled: () => onBusy(false),
  });
  return (
    <form
      id={formId}
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const until = choice === 'other' ? parseOtherTime(other, now()) : times[choice];
        setWrong(until === null);
        if (until === null) field.current?.focus();
        else if (!mute.isPending) mute.mutate(until);
      }}
    >
      <p className={css.text}>{t('rule.mute.text')}</p>
      <fieldset className={css.choices}>
        <legend className="visually-hidden">{t('rule.mute.for')}</legend>
        {(['hour', 'eight', 'morning', 'other'] as const).map((name) => (
          <label key={name} className={css.choice}>
            <input type="radio" name={formId} checked={choice === name} onChange={() => setChoice(name)} />
            <span>
              {name === 'other' ? t('rule.mute.other') : t(`rule.mute.${name}`, { time: format.time(times[name]) })}
            </span>
          </label>
        ))}
      </fieldset>
      {choice === 'other' ? (
        <Field label={t('rule.mute.time')} error={wrong ? t('rule.mute.wrong') : undefined}>
          {({ status: _, ...labels }) => (
            <input
              {...labels}
              ref={field}
              type="datetime-local"
              className={css.field}
              value={other}
              min={fieldTime(opened)}
              onChange={(event) => {
                setOther(event.target.value);
                setWrong(false);
              }}
            />
          )}
        </Field>
      ) : null}
      <ZoneNote />
    </form>
  );
}
