import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import type { Role } from '@/lib/session/useMay';
import { CopyBox } from '@/ui/CopyBox';
import { Dialog } from '@/ui/Dialog';
import { Note } from '@/ui/Note';
import css from './LinkDialog.module.css';

/** The link of an invitation, which the server answers only once. */
export interface FreshLink {
  link: string;
  role: Role;
  expiresTime: number;
}

interface LinkDialogProps {
  fresh: FreshLink | null;
  onClose: () => void;
  /** Called when the closing animation has ended. */
  onClosed: () => void;
}

/**
 * Shows an invitation's link once. Once it is copied, the dialog closes without a question; before,
 * it says first that the link is not shown again.
 */
export function LinkDialog({ fresh, onClose, onClosed }: LinkDialogProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [shown, setShown] = useState(fresh);
  const [copied, setCopied] = useState(false);
  const [warned, setWarned] = useState(false);
  if (fresh && fresh !== shown) setShown(fresh);
  if (shown === null) return null;
  // A server that knows no address of its own gives the path alone.
  const link = new URL(shown.link, window.location.origin).href;

  const close = () => {
    if (copied || warned) onClose();
    else setWarned(true);
  };
  return (
    <Dialog
      open={fresh !== null}
      title={t('people.link.title')}
      onClose={close}
      firm={!copied}
      width={520}
      onClosed={() => {
        setShown(null);
        setCopied(false);
        setWarned(false);
        onClosed();
      }}
      footer={
        <>
          {warned && !copied ? (
            <p className={css.early} role="alert">
              {t('people.link.early')}
            </p>
          ) : null}
          <Button type={copied ? 'primary' : 'default'} onClick={close}>
            {t(copied ? 'secret.done' : 'common.close')}
          </Button>
        </>
      }
    >
      <p className={css.ready}>
        {t('people.link.ready', { role: t(`role.${shown.role}`), time: format.absolute(shown.expiresTime) })}
      </p>
      <CopyBox
        label={t('people.link.label')}
        text={link}
        copy={t('people.link.copy')}
        main
        onCopied={() => setCopied(true)}
      />
      <Note tone="warn">{t('people.link.warn')}</Note>
    </Dialog>
  );
}
