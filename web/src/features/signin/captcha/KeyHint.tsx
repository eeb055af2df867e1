import { useTranslation } from 'react-i18next';
import css from './CaptchaPanel.module.css';

/** What hands and keys can do; not shown where a finger is all there is. */
export function KeyHint() {
  const { t } = useTranslation();
  const arrows = [<kbd key="left">←</kbd>, ' ', <kbd key="right">→</kbd>];
  // The keys stand in the sentence where each language wants them.
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
