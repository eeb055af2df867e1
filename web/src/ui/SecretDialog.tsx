import { useBlocker } from '@tanstack/react-router';
import { Button, Checkbox } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyBox } from './CopyBox';
import { Dialog } from './Dialog';
import { Note } from './Note';
import css from './SecretDialog.module.css';

/** One text to copy, with its button. */
export interface SecretPart {
  label: string;
  text: string;
  /** The button's action, for screen readers. */
  copy: string;
  /** The secret itself: its button is the dialog's main one. */
  main?: boolean;
}

interface SecretDialogProps {
  open: boolean;
  title: string;
  /** What was created, and that it is shown only once. */
  ready: string;
  parts: readonly SecretPart[];
  /** What the secret gives access to. */
  warning: string;
  /** The user confirms to have stored it. */
  onStored: () => void;
  /** Called after the closing animation. */
  onClosed: () => void;
}

/** Shows a new secret once: only the user's confirmation that it is stored closes the dialog. */
export function SecretDialog({ open, title, ready, parts, warning, onStored, onClosed }: SecretDialogProps) {
  const { t } = useTranslation();
  const [stored, setStored] = useState(false);
  const [early, setEarly] = useState(false);
  const check = useRef<HTMLInputElement | null>(null);

  useBlocker({
    // Only the end of the session leads to the sign-in page, and then nothing must be shown any
    // more.
    shouldBlockFn: ({ next }) => next.pathname !== '/signin',
    enableBeforeUnload: () => open,
    disabled: !open,
  });

  const close = () => {
    if (stored) return onStored();
    setEarly(true);
    check.current?.focus();
  };

  return (
    <Dialog
      open={open}
      title={title}
      onClose={close}
      firm
      width={520}
      onClosed={() => {
        setStored(false);
        setEarly(false);
        onClosed();
      }}
      footer={
        <>
          <div className={css.stored}>
            <Checkbox
              ref={(box) => {
                check.current = box?.input ?? null;
              }}
              checked={stored}
              onChange={(event) => setStored(event.target.checked)}
              aria-describedby={early && !stored ? 'secret-early' : undefined}
            >
              {t('secret.stored')}
            </Checkbox>
            {early && !stored ? (
              <p className={css.early} id="secret-early" role="alert">
                {t('secret.storeFirst')}
              </p>
            ) : null}
          </div>
          <Button type="primary" disabled={!stored} onClick={close}>
            {t('secret.done')}
          </Button>
        </>
      }
    >
      <p className={css.ready}>{ready}</p>
      {parts.map((part) => (
        <CopyBox key={part.label} {...part} />
      ))}
      <Note tone="warn">{warning}</Note>
    </Dialog>
  );
}
