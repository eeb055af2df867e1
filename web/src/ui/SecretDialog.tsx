import { useBlocker } from '@tanstack/react-router';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyBox } from './CopyBox';
import { Dialog } from './Dialog';
import { Note } from './Note';
import css from './SecretDialog.module.css';
import { StoredCheck, useStoredCheck } from './StoredCheck';

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
  /** Below the parts: another way to store them. */
  more?: ReactNode;
  /** What the secret gives access to. */
  warning: string;
  /** What the user confirms, and what is said before; absent: of one secret. */
  confirmation?: { stored: string; storeFirst: string };
  /** The user confirms to have stored it. */
  onStored: () => void;
  /** Called after the closing animation. */
  onClosed: () => void;
}

/** Shows a new secret once: only the user's confirmation that it is stored closes the dialog. */
export function SecretDialog({
  open,
  title,
  ready,
  parts,
  more,
  warning,
  confirmation,
  onStored,
  onClosed,
}: SecretDialogProps) {
  const { t } = useTranslation();
  const check = useStoredCheck();

  useBlocker({
    // Only the end of the session leads to the sign-in page, and then nothing must be shown any
    // more.
    shouldBlockFn: ({ next }) => next.pathname !== '/signin',
    enableBeforeUnload: () => open,
    disabled: !open,
  });

  const close = () => {
    if (check.demand()) onStored();
  };

  return (
    <Dialog
      open={open}
      title={title}
      onClose={close}
      firm
      width={520}
      onClosed={() => {
        check.forget();
        onClosed();
      }}
      footer={
        <>
          <StoredCheck
            check={check}
            label={confirmation?.stored ?? t('secret.stored')}
            warning={confirmation?.storeFirst ?? t('secret.storeFirst')}
          />
          <Button type="primary" disabled={!check.stored} onClick={close}>
            {t('secret.done')}
          </Button>
        </>
      }
    >
      <p className={css.ready}>{ready}</p>
      {parts.map((part) => (
        <CopyBox key={part.label} {...part} />
      ))}
      {more}
      <Note tone="warn">{warning}</Note>
    </Dialog>
  );
}
