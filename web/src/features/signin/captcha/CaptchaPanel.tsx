import CloseOutlined from '@ant-design/icons/CloseOutlined';
import ReloadOutlined from '@ant-design/icons/ReloadOutlined';
import { useEffect, useEffectEvent, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/IconButton';
import css from './CaptchaPanel.module.css';
import { DueIn } from './DueIn';
import { KeyHint } from './KeyHint';
import { Picture } from './Picture';
import { Slider } from './Slider';
import { useCaptcha } from './useCaptcha';

interface CaptchaPanelProps {
  /** The piece was in its place: what sign-in is to be sent with. */
  onVerified: (captchaVerification: string) => void;
  /** The person closed it. */
  onClose: () => void;
  /** The person cannot see the picture; absent where the server takes nobody without. */
  onUnseen?: (() => void) | undefined;
}

/** The slider captcha. It opens under the button and covers nothing that was typed, so it is no modal dialog. */
export function CaptchaPanel({ onVerified, onClose, onUnseen }: CaptchaPanelProps) {
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

  // Its height is final once there is a picture, or a word why there is none.
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
      <Picture state={captcha.state} onRetry={captcha.refresh} onSpoilt={captcha.spoilt} />
      <div className={css.foot}>
        <Slider captcha={captcha} hintId={`${id}-hint`} />
        <p className={css.help}>
          <span id={`${id}-hint`}>
            <KeyHint />
          </span>
          {puzzle && phase !== 'ok' && phase !== 'fail' ? <DueIn due={puzzle.due} /> : null}
        </p>
        {onUnseen ? (
          <div className={css.unseen}>
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
