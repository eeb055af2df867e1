import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { startOfDay } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import css from './MessageTime.module.css';

/** When a message came: 06:02 today, Yesterday, Nov 19. */
export function MessageTime({ time }: { time: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useClock((now) => {
    const today = startOfDay(now);
    if (time >= today) return format.time(time);
    return time >= startOfDay(today - 1) ? t('format.age.yesterday') : format.day(time, now);
  });
  return (
    <time className={css.time} dateTime={new Date(time).toISOString()} title={format.absolute(time)}>
      {words}
    </time>
  );
}
