import { AsOfTime } from '@/ui/AsOfTime';
import { LevelTag, ResolveTag, UnsteadyTag } from '@/ui/alarm/tags';
import type { AlarmDetail } from '../queries';
import { Facts } from './Facts';
import css from './Head.module.css';
import { NoticeActions } from './NoticeActions';
import { SinceLine } from './SinceLine';

/** Title, state, since when, acknowledgement, the four times, and the actions. `asOf`: when the detail was current. */
export function Head({ detail, asOf }: { detail: AlarmDetail; asOf: number }) {
  const { title, resolveStatus, alarmLevel, alarmDesc, unsteady } = detail.alarmNotice;
  return (
    <header className={css.head}>
      <h2 className={css.title}>{title}</h2>
      <div className={css.tags}>
        <ResolveTag status={resolveStatus} />
        <LevelTag level={alarmLevel} />
        {unsteady ? <UnsteadyTag /> : null}
        <AsOfTime time={asOf} />
      </div>
      <SinceLine detail={detail} />
      {alarmDesc ? <p className={css.text}>{alarmDesc}</p> : null}
      <Facts detail={detail} />
      <NoticeActions detail={detail} />
    </header>
  );
}
