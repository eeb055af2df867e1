import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/lib/http/api';
import { formErrorText } from '@/lib/http/errorText';
import { takePendingCode } from './pendingCode';
import { addBody } from './rules';
import { useAddForm } from './useAddForm';

/** More than any label holds. */
const maxLength = 512;

/** A device whose label has a code: reads the label, then takes the device over. `shown`: the user sees it, and may. */
export function useClaim({ shown, preset }: { shown: boolean; preset: { groupId?: number } }) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const field = useRef<{ focus: () => void } | null>(null);

  const read = useMutation({
    mutationFn: (label: string) =>
      api.post('/admin-api/client/pc/device/claim/read', { body: { text: label.slice(0, maxLength) } }),
    meta: { shows: [601], failure: 'device.code.readFail' },
  });
  const adding = useAddForm({
    preset: { ...preset, productId: 0 },
    send: (values) => {
      const { serial: _, ...body } = addBody(values);
      return api.post('/admin-api/client/pc/device/claim', { body: { ...body, text } });
    },
  });

  const type = (label: string) => {
    setText(label);
    setTried(false);
    if (!read.isIdle) read.reset();
  };
  const look = (label: string) => {
    type(label);
    setTried(true);
    if (label.trim() === '') field.current?.focus();
    else read.mutate(label);
  };
  // A label's address was opened, perhaps before the user signed in.
  const { mutate } = read;
  useEffect(() => {
    const code = shown ? takePendingCode() : '';
    if (code === '') return;
    setText(code);
    mutate(code);
  }, [shown, mutate]);

  const label = read.data?.kind === 'unknown' ? undefined : read.data;
  const refused = formErrorText(read.error);
  const error =
    text.trim() === '' && tried
      ? t('device.code.required')
      : read.data?.kind === 'unknown'
        ? t('device.code.unknown')
        : refused;
  return {
    adding,
    text,
    field,
    error,
    reading: read.isPending,
    /** What the label says; undefined until it is read. */
    label,
    type,
    look,
    submit: (event: FormEvent) => {
      event.preventDefault();
      if (!read.isPending) look(text);
    },
    /** Back to the code, with what was typed of the device. */
    another: () => {
      type('');
      adding.forgetRefusal();
    },
    // The code is on the label still.
    dirty: adding.dirty,
    reset: () => {
      type('');
      adding.reset();
    },
  };
}

export type Claim = ReturnType<typeof useClaim>;
