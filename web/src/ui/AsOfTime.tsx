import HistoryOutlined from '@ant-design/icons/HistoryOutlined';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { useAsOf } from '@/lib/offline/reachability';
import css from './AsOfTime.module.css';

/**
 * "As of 06:40", with the day when it is not today: shown beside values that may have changed since,
 * unless the server answers in time (reachability `online`). `time` is when they were current, by this machine's clock.
 */
export function AsOfTime({ time }: { time: number | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const asOf = useAsOf(time);
  if (asOf === undefined) return null;
  return (
    <time className={css.asOf} dateTime={new Date(asOf).toISOString()} title={format.absolute(asOf)}>
      <HistoryOutlined aria-hidden="true" />
      {t('offline.asOf', { moment: format.moment(asOf, Date.now()) })}
    </time>
  );
}
