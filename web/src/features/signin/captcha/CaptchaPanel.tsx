import CloseOutlined from '@ant-design/icons/CloseOutlined';
import ReloadOutlined from '@ant-design/icons/ReloadOutlined';
import { type RefObject, useEffect, useEffectEvent, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/IconButton';
import css from './CaptchaPanel.module.css';
import { DueIn } from './DueIn';
import { KeyHint } from './KeyHint';
import { Picture } from './Picture';
import { Slider } from './Slider';
import { useCaptcha } from './useCaptcha';

interface CaptchaPanelProps {
  /** The slider's handle, to which the form leads. */
  slider: RefObject<HTMLDivElement | null>;
  /** The puzzle was solved; called with the verification to sign in with. */
  onVerified: (captchaVerification: string) => void;
  /** The user closed the panel. */
  onClose: () => void;
  /** The user cannot see the picture; absent if the server requires the captcha of everybody. */
  onUnseen?: (() => void) | undefined;
}

/**
 * The slider captcha. It opens below the button and covers none of the fields, so it is not a modal
 * dialog.
 */
export function CaptchaPanel({ slider, onVerified, onClose, onUnseen }: CaptchaPanelProps) {
  const { t } = useTranslation();
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const captcha = useCaptcha(onVerified);
  const { phase, puzzle } = captcha.state;

  const close = useEffectEvent(onClose);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);

  // The panel's height is final once a picture or an error is shown.
  const settled = phase !== 'loading';
  useEffect(() => {
    if (settled) panel.current?.scrollIntoView({ block: 'nearest' });
  }, [settled]);

  return (
    <div ref={panel} className={css.panel} role="dialog" aria-labelledby={`${id}-title`}>
      <header className={css.head}>
        <h2 id={`${id}-title`} className={css.title}>
          {t('captcha.title')}
        </h2>
        <IconButton
          label={t('captcha.refresh')}
          icon={<ReloadOutlined spin={phase === 'loading'} aria-hidden="true" />}
          aria-disabled={phase !== 'idle' && phase !== 'broken'}
          onClick={phase === 'idle' || phase === 'broken' ? captcha.refresh : undefined}
        />
        <IconButton label={t('common.close')} icon={<CloseOutlined aria-hidden="true" />} onClick={onClose} />
      </header>
      <Picture state={captcha.state} onRetry={captcha.refresh} onBroken={captcha.reportBroken} />
      <div className={css.foot}>
        <Slider captcha={captcha} handle={slider} hintIds={onUnseen ? `${id}-hint ${id}-other` : `${id}-hint`} />
        <p className={css.help}>
          <span id={`${id}-hint`}>
            <KeyHint />
          </span>
          {puzzle && phase !== 'ok' && phase !== 'fail' ? <DueIn due={puzzle.due} /> : null}
        </p>
        {onUnseen ? (
          <div className={css.unseen}>
            <span id={`${id}-other`} hidden>
              {t('captcha.unseenNext')}
            </span>
            <button type="button" aria-describedby={`${id}-unseen`} onClick={onUnseen}>
              {t('captcha.unseen')}
            </button>
            <p id={`${id}-unseen`}>{t('captcha.unseenFor')}</p>
          </div>
        ) : null}
      </div>
    </div>
  );
}
