import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { closeDialog, useFeedback } from '@/lib/feedback/feedback';
import { PlainButton } from '@/ui/PlainButton';
import css from './ErrorDialog.module.css';

/**
 * Shows a server error whose code has no milder presentation. A native dialog: it needs nothing
 * that could fail to load.
 */
export function ErrorDialog() {
  const { t } = useTranslation();
  const dialog = useFeedback((state) => state.dialog);
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();

  useEffect(() => {
    if (dialog && !ref.current?.open) ref.current?.showModal();
  }, [dialog]);

  if (!dialog) return null;
  return (
    <dialog
      ref={ref}
      className={css.dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={closeDialog}
    >
      <h2 id={`${id}-title`} className={css.title}>
        {dialog.title}
      </h2>
      <div id={`${id}-text`} className={css.text}>
        {dialog.about ? <p>{dialog.about}</p> : null}
        <p>{dialog.text}</p>
      </div>
      <form method="dialog" className={css.foot}>
        <PlainButton>{t('common.close')}</PlainButton>
      </form>
    </dialog>
  );
}
