import RightOutlined from '@ant-design/icons/RightOutlined';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type AlarmNotice, openNoticesQuery } from '@/lib/alarm/notices';
import { useOpenNoticesLive } from '@/lib/alarm/useOpenNoticesLive';
import { useFormat } from '@/lib/format/format';
import { Since } from '@/ui/alarm/Since';
import { AckTag, LevelTag } from '@/ui/alarm/tags';
import { Loading, Skeleton } from '@/ui/Skeleton';
import css from './OpenAlarms.module.css';

/**
 * The open notices of a device in alarm: since when, and who has acknowledged them. Each links to
 * its page, where users act on it.
 */
export function OpenAlarms({ deviceName }: { deviceName: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  useOpenNoticesLive(deviceName);
  const { data, isError } = useQuery(openNoticesQuery(deviceName));
  if (data?.total === 0) return null;
  return (
    <div className={css.alarms}>
      <h3 className={css.title}>{t('home.alarms.title')}</h3>
      {data ? (
        <ul className={css.list}>
          {data.list.map((notice) => (
            <li key={notice.id}>
              <OpenAlarm notice={notice} />
            </li>
          ))}
        </ul>
      ) : isError ? (
        <p className={css.failed}>{t('home.alarms.failed')}</p>
      ) : (
        <Loading>
          <Skeleton height={44} />
        </Loading>
      )}
      {data && data.total > data.list.length ? (
        <Link to="/inform" search={{ devices: deviceName, status: 0 }} className={css.all}>
          {t('home.alarms.all', { n: format.number(data.total) })}
        </Link>
      ) : null}
    </div>
  );
}

function OpenAlarm({ notice }: { notice: AlarmNotice }) {
  const { id, title, alarmLevel, ack } = notice;
  return (
    <Link to="/inform" search={{ id }} className={css.alarm}>
      <span className={css.words}>
        <b className={css.name}>{title}</b>
        <Since className={css.since} known={notice} />
        <span className={css.tags}>
          <LevelTag level={alarmLevel} />
          {ack ? <AckTag user={ack.user} /> : null}
        </span>
      </span>
      <RightOutlined className={css.arrow} aria-hidden="true" />
    </Link>
  );
}
