import AlertOutlined from '@ant-design/icons/AlertOutlined';
import CheckCircleOutlined from '@ant-design/icons/CheckCircleOutlined';
import DeploymentUnitOutlined from '@ant-design/icons/DeploymentUnitOutlined';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { Link, type LinkProps } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Overview } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { missingValue, useFormat } from '@/lib/format/format';
import { useLiveStatus } from '@/lib/live/useLive';
import { useAsOf } from '@/lib/offline/reachability';
import { AsOfTime } from '@/ui/AsOfTime';
import { Skeleton } from '@/ui/Skeleton';
import css from './Statistics.module.css';

interface StatisticsProps {
  overview: Overview | undefined;
  /** There is no data and no query is running. */
  failed: boolean;
  /** When the counts were current, by this machine's clock. */
  asOf?: number;
}

/** Four counts in one strip, each with how current it is. */
export const Statistics = memo(function Statistics({ overview, failed, asOf }: StatisticsProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const old = useAsOf(asOf) !== undefined;
  const count = (value: number | undefined) => {
    if (value !== undefined) return format.number(value);
    if (failed) return missingValue;
    return (
      <span className={css.waiting}>
        <Skeleton height={28} width={72} />
      </span>
    );
  };
  const share = overview && overview.deviceCount > 0 ? overview.onlineCount / overview.deviceCount : undefined;
  return (
    <section className={css.strip} aria-label={t('home.stat.label')} aria-busy={!overview && !failed}>
      <Statistic
        icon={<DeploymentUnitOutlined />}
        title={t('home.stat.total')}
        link={{ to: '/device' }}
        value={count(overview?.deviceCount)}
        note={overview && <Where overview={overview} />}
      />
      <Statistic
        icon={<CheckCircleOutlined />}
        title={t('home.stat.online')}
        link={{ to: '/device', search: { state: 'online' } }}
        value={count(overview?.onlineCount)}
        aside={share === undefined ? undefined : format.percent(share)}
        note={overview && (old ? <AsOfTime time={asOf} /> : <Counted counted={overview.time} />)}
      />
      <Statistic
        icon={<AlertOutlined />}
        title={t('home.stat.alarms')}
        link={{ to: '/inform' }}
        value={count(overview?.todayAlarmCount)}
        note={overview && <Pending overview={overview} />}
      />
      <Statistic
        icon={<DisconnectOutlined />}
        title={t('home.stat.offline')}
        link={{ to: '/device', search: { state: 'offline' } }}
        value={count(overview?.offlineCount)}
        note={
          overview &&
          t('home.stat.sinceMidnight', {
            count: overview.offlineTodayCount,
            n: format.number(overview.offlineTodayCount),
          })
        }
      />
    </section>
  );
});

interface StatisticProps {
  icon: ReactNode;
  title: string;
  /** Where the number is explained. */
  link: LinkProps;
  value: ReactNode;
  aside?: string;
  note?: ReactNode;
}

function Statistic({ icon, title, link, value, aside, note }: StatisticProps) {
  return (
    <dl className={css.statistic}>
      <dt className={css.title} title={title}>
        <span className={css.icon} aria-hidden="true">
          {icon}
        </span>
        <Link {...link} className={css.words}>
          {title}
        </Link>
      </dt>
      <dd className={css.value}>
        {value}
        {aside ? <small className={css.aside}>{aside}</small> : null}
      </dd>
      <dd className={css.note}>{note ?? '\u00a0'}</dd>
    </dl>
  );
}

function Where({ overview }: { overview: Overview }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { sceneCount, unassignedCount } = overview;
  const scenes = t('home.stat.scenes', { count: sceneCount, n: format.number(sceneCount) });
  if (unassignedCount === 0 || sceneCount === 0) return scenes;
  return t('home.stat.scenesAnd', {
    scenes,
    others: t('home.stat.unassigned', { count: unassignedCount, n: format.number(unassignedCount) }),
  });
}

/** While the live stream is connected, the counts are as new as its last event. */
function Counted({ counted }: { counted: number }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { state, lastEventAt } = useLiveStatus();
  const time = state === 'live' && lastEventAt !== null ? Math.max(counted, lastEventAt) : counted;
  const age = useClock((now) => format.ago(time, now));
  return <span title={format.absolute(time)}>{t('home.stat.asOf', { age })}</span>;
}

function Pending({ overview }: { overview: Overview }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { pendingAlarmCount, lastAlarmTime } = overview;
  const pending = t('home.stat.pending', { count: pendingAlarmCount, n: format.number(pendingAlarmCount) });
  if (lastAlarmTime === undefined) return pending;
  return (
    <span title={format.absolute(lastAlarmTime)}>
      {t('home.stat.pendingLast', { pending, time: format.time(lastAlarmTime) })}
    </span>
  );
}
