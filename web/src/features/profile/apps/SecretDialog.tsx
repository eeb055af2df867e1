import { useBlocker } from '@tanstack/react-router';
import { Button, Checkbox } from 'antd';
import { type RefObject, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../form/Dialog';
import { Note } from '../form/Note';
import { CopyButton } from './CopyButton';
import { forgetSecret, useFreshSecret } from './freshSecret';
import css from './SecretDialog.module.css';

/** Shows a new key's secret, this once: nothing but the person's word that it is stored closes it. */
export function SecretDialog({ onClosed }: { onClosed: () => void }) {
  const { t } = useTranslation();
  const fresh = useFreshSecret((state) => state.fresh);
  // Its words stay while it closes; the secret's with them, for a fifth of a second.
  const [shown, setShown] = useState(fresh);
  if (fresh && fresh !== shown) setShown(fresh);
  const [stored, setStored] = useState(false);
  const [early, setEarly] = useState(false);
  const keyText = useRef<HTMLElement>(null);
  const secretText = useRef<HTMLElement>(null);
  const check = useRef<HTMLInputElement | null>(null);

  useBlocker({
    // To the sign-in page leads only the end of the session, and then nothing is to be shown any more.
    shouldBlockFn: ({ next }) => next.pathname !== '/signin',
    enableBeforeUnload: () => fresh !== null,
    disabled: fresh === null,
  });

  const close = () => {
    if (stored) return forgetSecret();
    setEarly(true);
    check.current?.focus();
  };

  return (
    <Dialog
      open={fresh !== null}
      title={t('app.secretTitle')}
      onClose={close}
      firm
      width={520}
      onClosed={() => {
        setShown(null);
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
              {t('app.stored')}
            </Checkbox>
            {early && !stored ? (
              <p className={css.early} id="secret-early" role="alert">
                {t('app.storeFirst')}
              </p>
            ) : null}
          </div>
          <Button type="primary" disabled={!stored} onClick={close}>
            {t('app.done')}
          </Button>
        </>
      }
    >
      <p className={css.ready}>{t('app.secretReady', { name: shown?.name ?? '' })}</p>
      <Part label={t('app.key')} text={shown?.appKey ?? ''} of={keyText} copy={t('app.copyKey')} />
      <Part label={t('app.secret')} text={shown?.appSecret ?? ''} of={secretText} copy={t('app.copySecret')} main />
      <Note tone="warn">{t('app.secretWarn')}</Note>
    </Dialog>
  );
}

interface PartProps {
  label: string;
  text: string;
  of: RefObject<HTMLElement | null>;
  copy: string;
  main?: boolean;
}

function Part({ label, text, of, copy, main = false }: PartProps) {
  return (
    <div className={css.part}>
      <div className={css.label}>{label}</div>
      <div className={css.row}>
        <div className={css.box}>
          <code ref={of} translate="no">
            {text}
          </code>
        </div>
        <CopyButton of={of} label={copy} main={main} className={main ? css.copyMain : css.copy} />
      </div>
    </div>
  );
}
