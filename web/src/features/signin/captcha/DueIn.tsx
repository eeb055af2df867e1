import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import css from './CaptchaPanel.module.css';

/** How long the picture remains valid. */
export function DueIn({ due }: { due: number }) {
  const { t } = useTranslation();
  const left = useClock(() => Math.max(Math.ceil((due - Date.now()) / 1000), 0));
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  return <span className={css.due}>{t('captcha.due', { time })}</span>;
}
