import { useTranslation } from 'react-i18next';
import css from './CaptchaPanel.module.css';

/** Explains pointer and keys. The style hides it on touch-only devices. */
export function KeyHint() {
  const { t } = useTranslation();
  const arrows = [<kbd key="left">←</kbd>, ' ', <kbd key="right">→</kbd>];
  // The sentence of each language determines where the keys stand: ⇄ and ⏎ mark their places.
  const parts = t('captcha.keys', { arrows: '⇄', enter: '⏎' }).split(/([⇄⏎])/);
  return (
    <span className={css.keys}>
      {parts.map((part) => {
        if (part === '⇄') return arrows;
        return part === '⏎' ? <kbd key={part}>Enter</kbd> : part;
      })}
    </span>
  );
}
