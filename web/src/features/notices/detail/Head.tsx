import { LevelTag, ResolveTag, UnsteadyTag } from '@/ui/alarm/tags';
import type { AlarmDetail } from '../queries';
import { Facts } from './Facts';
import css from './Head.module.css';
import { NoticeActions } from './NoticeActions';
import { SinceLine } from './SinceLine';

/** Title, state, since when, acknowledgement, the four times, and the actions. */
export function Head({ detail }: { detail: AlarmDetail }) {
  const { title, resolveStatus, alarmLevel, alarmDesc, unsteady } = detail.alarmNotice;
  return (
    <header className={css.head}>
      <h2 className={css.title}>{title}</h2>
      <div className={css.tags}>
        <ResolveTag status={resolveStatus} />
        <LevelTag level={alarmLevel} />
        {unsteady ? <UnsteadyTag /> : null}
      </div>
      <SinceLine detail={detail} />
      {alarmDesc ? <p className={css.text}>{alarmDesc}</p> : null}
      <Facts detail={detail} />
      <NoticeActions detail={detail} />
    </header>
  );
}
