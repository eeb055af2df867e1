import AlertFilled from '@ant-design/icons/AlertFilled';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { AlarmRule } from '@/lib/alarm/types';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { Since } from '@/ui/alarm/Since';
import css from './LastAlarm.module.css';
import { RehearsedCount } from './RehearsedCount';

interface LastAlarmProps {
  rule: AlarmRule;
  /** When the newest reading was evaluated, epoch milliseconds. */
  checked: number | undefined;
}

/**
 * When the rule last fired, or since when it has not; while its alarm is open, since when that holds, in red and with
 * the way to it; for a stopped rule, since when it has been stopped.
 */
export function LastAlarm({ rule, checked }: LastAlarmProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { openNotice, lastNotice, noticeCount: count, deployState, deployTime = 0, deployUser: user } = rule;
  const words = useClock((now) => {
    if (deployState === 0) return t('rule.card.neverRun');
    if (deployState === 2) {
      const day = format.moment(deployTime, now);
      return user ? t('rule.card.takenDownBy', { day, user }) : t('rule.card.takenDown', { day });
    }
    if (lastNotice) {
      return t('rule.card.last', { count, n: format.number(count), age: format.ago(lastNotice.startTime, now) });
    }
    const since = format.moment(deployTime, now);
    return checked === undefined
      ? t('rule.card.never', { since })
      : t('rule.card.neverChecked', { since, age: format.ago(checked, now) });
  });
  return openNotice ? (
    <p className={css.open}>
      <AlertFilled aria-hidden="true" />
      <Link to="/inform" search={{ id: openNotice.id }} className={css.link}>
        <span className="visually-hidden">{t('rule.card.open')} </span>
        <Since known={openNotice} />
      </Link>
    </p>
  ) : (
    <>
      <p className={css.words}>
        <span>{words}</span>
      </p>
      {deployState === 1 && !lastNotice ? <RehearsedCount rule={rule} /> : null}
    </>
  );
}
