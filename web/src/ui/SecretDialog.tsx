import { useBlocker } from '@tanstack/react-router';
import { Button } from 'antd';
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
          <StoredCheck check={check} label={t('secret.stored')} warning={t('secret.storeFirst')} />
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
      <Note tone="warn">{warning}</Note>
    </Dialog>
  );
}
