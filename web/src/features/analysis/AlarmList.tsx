import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { AlarmNotice } from '@/lib/alarm/notices';
import { formatDateTime } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { Since } from '@/ui/alarm/Since';
import { ErrorNote } from '@/ui/ErrorNote';
import css from './AlarmList.module.css';

interface AlarmListProps {
  /** Undefined: not known yet, or, with an error, not at all. */
  alarms: readonly AlarmNotice[] | undefined;
  deviceNames: readonly string[];
  error: Error | null;
  onRetry: () => void;
  busy: boolean;
}

/** The most alarms that the list names; the notices page has all. */
const maxListed = 8;

/** The alarms that held in the range, the newest first, each a link to its notice. */
export function AlarmList({ alarms, deviceNames, error, onRetry, busy }: AlarmListProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const date = (time: number) => formatDateTime(time, format.language);
  return (
    <section className={css.alarms}>
      <h2 className={css.title}>{t('analysis.alarms.title')}</h2>
      {error ? (
        <ErrorNote title={t('analysis.alarms.failed')} text={errorText(error)} onRetry={onRetry} busy={busy} />
      ) : null}
      {alarms === undefined ? null : alarms.length === 0 ? (
        <p className={css.none}>{t('analysis.alarms.none')}</p>
      ) : (
        <ul className={css.list}>
          {alarms.slice(0, maxListed).map((alarm) => {
            const { id, title, alarmLevel, noteName, deviceName, startTime, endTime } = alarm;
            return (
              <li key={id} data-level={alarmLevel} className={css.row}>
                <span className={css.level} aria-hidden="true" />
                <Link to="/inform" search={{ id }} className={css.link}>
                  {title}
                </Link>
                <span className={css.device}>{noteName || deviceName}</span>
                <span className={css.time}>
                  {endTime === undefined ? (
                    <Since known={alarm} />
                  ) : (
                    t('analysis.alarms.until', { from: date(startTime), to: date(endTime) })
                  )}
                </span>
              </li>
            );
          })}
        </ul>
      )}
      {alarms !== undefined && alarms.length > maxListed ? (
        <Link to="/inform" search={{ devices: deviceNames.join(',') }} className={css.link}>
          {t('analysis.alarms.all', { n: format.number(alarms.length) })}
        </Link>
      ) : null}
    </section>
  );
}
