import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlarmNotice } from '@/lib/alarm/notices';
import { useClock } from '@/lib/format/clock';
import { startOfDay } from '@/lib/format/date';
import { useFormat } from '@/lib/format/format';
import { Since } from '@/ui/alarm/Since';
import { AckTag, LevelTag, ResolveTag, UnsteadyTag } from '@/ui/alarm/tags';
import css from './NoticeCard.module.css';

interface NoticeCardProps {
  notice: AlarmNotice;
  chosen: boolean;
  /**
   * The notice opens in the list's place and in a new history entry, so that Back leads to the
   * list.
   */
  step: boolean;
}

/**
 * A notice in the list: title, since when it holds (if unknown, when it was noticed), device,
 * state, and acknowledgement.
 */
export const NoticeCard = memo(function NoticeCard({ notice, chosen, step }: NoticeCardProps) {
  const { id, title, resolveStatus, alarmLevel, deviceName, noteName, startTime, createTime } = notice;
  const { holdsSince, ack, unsteady } = notice;
  // Readings that a logger hands over late are recorded long after the alarm's start.
  const late = createTime - startTime >= 60_000;
  return (
    <Link
      from="/inform"
      to="/inform"
      search={(before) => ({ ...before, id })}
      replace={!step}
      resetScroll={step}
      className={`${css.card} ${chosen ? css.chosen : ''}`}
      activeProps={{}}
      aria-current={chosen ? 'true' : undefined}
    >
      <span className={css.head}>
        <b className={css.title} title={title}>
          {title}
        </b>
        {holdsSince === undefined || late ? <Created time={createTime} /> : null}
      </span>
      {holdsSince === undefined ? null : <Since className={css.since} known={notice} />}
      <span className={css.device}>{noteName || deviceName}</span>
      <span className={css.tags}>
        <ResolveTag status={resolveStatus} />
        <LevelTag level={alarmLevel} />
        {unsteady ? <UnsteadyTag /> : null}
        {ack && resolveStatus === 0 ? <AckTag user={ack.user} /> : null}
      </span>
    </Link>
  );
});

function Created({ time }: { time: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useClock((now) =>
    time >= startOfDay(now) ? t('inform.today', { time: format.time(time) }) : format.moment(time, now),
  );
  return (
    <time className={css.time} dateTime={new Date(time).toISOString()} title={format.absolute(time)}>
      {words}
    </time>
  );
}
