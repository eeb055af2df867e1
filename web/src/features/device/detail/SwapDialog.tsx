import { Link } from '@tanstack/react-router';
import { Button, Input, type InputRef } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { type Errors, useForm } from '@/ui/form/useForm';
import { Note } from '@/ui/Note';
import { maxNoteLength, noteLength } from '../edit/rules';
import { ShortSecret } from './ShortSecret';
import css from './Swap.module.css';
import { type SwapValues, useSwap } from './useSwap';

const empty: SwapValues = { serial: '', note: '', short: false };

/** In characters, as people count them. */
const maxSwapNote = 200;

function check({ serial, note }: SwapValues): Errors<SwapValues, 'device.form.tooLong'> {
  return {
    ...(noteLength(serial) > maxNoteLength ? { serial: 'device.form.tooLong' } : {}),
    ...(noteLength(note) > maxSwapNote ? { note: 'device.form.tooLong' } : {}),
  };
}

interface SwapDialogProps {
  device: Device;
  open: boolean;
  onClose: () => void;
}

/** Says what a swap ends and what stays, and asks for the serial of the device that takes the place. */
export function SwapDialog({ device, open, onClose }: SwapDialogProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const id = useId();
  const [values, setValues] = useState(empty);
  const { swap, refusal } = useSwap(device, () => {
    onClose();
    setValues(empty); // the dialog for the secret opens above this one
  });
  const form = useForm<SwapValues, 'device.form.tooLong'>({
    values,
    check,
    busy: swap.isPending,
    onSubmit: (wanted) => swap.mutate(wanted),
  });
  const change = (part: Partial<SwapValues>) => {
    setValues((before) => ({ ...before, ...part }));
    // What the server said no longer holds once something is changed.
    if (swap.isError) swap.reset();
  };
  const [serial, note] = [form.field('serial'), form.field('note')];
  const refused = (field: 'serial' | 'note') => (refusal?.field === field ? refusal.text : undefined);
  return (
    <Dialog
      open={open}
      title={t('device.swap.ask', { name: nameOf(device) })}
      onClose={onClose}
      firm={swap.isPending || values.serial !== '' || values.note !== ''}
      onClosed={() => {
        setValues(empty);
        form.forget();
        swap.reset();
      }}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={swap.isPending}>
            {t('device.swap.submit')}
          </SendButton>
        </>
      }
    >
      <form id={id} onSubmit={form.submit} noValidate>
        {refusal?.field === 'form' ? (
          <div className={css.note}>
            <Note tone="wrong" title={t('device.swap.fail')}>
              {format.capital(refusal.text)}
            </Note>
          </div>
        ) : null}
        <dl className={css.effects}>
          <div>
            <dt>{t('device.swap.stays')}</dt>
            <dd>{t('device.swap.staysText')}</dd>
          </div>
          <div>
            <dt>{t('device.swap.ends')}</dt>
            <dd>{t('device.swap.endsText')}</dd>
          </div>
        </dl>
        <Field
          label={t('device.detail.serial')}
          error={serial.error ? t(serial.error, { most: maxNoteLength }) : refused('serial')}
          hint={t('device.swap.serialHint')}
          below={
            refusal?.takenBy === undefined ? undefined : (
              <Link to="/device" search={{ device: refusal.takenBy }} className={css.taken} onClick={onClose}>
                {t('device.add.openTaken')}
              </Link>
            )
          }
        >
          {(labels) => (
            <Input
              {...labels}
              ref={serial.ref as (input: InputRef | null) => void}
              autoFocus
              value={values.serial}
              onChange={({ target }) => change({ serial: target.value })}
              onBlur={serial.onBlur}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </Field>
        <Field
          label={t('device.swap.note')}
          error={note.error ? t(note.error, { most: maxSwapNote }) : refused('note')}
          hint={t('device.swap.noteHint')}
        >
          {(labels) => (
            <Input
              {...labels}
              ref={note.ref as (input: InputRef | null) => void}
              value={values.note}
              onChange={({ target }) => change({ note: target.value })}
              onBlur={note.onBlur}
              autoComplete="off"
            />
          )}
        </Field>
        <ShortSecret checked={values.short} onChange={(short) => change({ short })} />
      </form>
    </Dialog>
  );
}
