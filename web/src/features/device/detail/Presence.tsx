import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { offlineSince } from '@/lib/device/offlineSince';
import type { Device } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { type PresenceChange, presenceQuery } from '../queries';
import css from './Presence.module.css';
import { Fetched, Section } from './Section';

/** The device's presence changes, newest first, and how long each state lasted. */
export function Presence({ device }: { device: Device }) {
  const { t } = useTranslation();
  const query = useInfiniteQuery(presenceQuery(device.deviceName));
  const changes = (query.data?.pages.flatMap(({ list }) => list) ?? []).map((change, i) =>
    sinceLastContact(change, i, device),
  );
  return (
    <Section title={t('device.presence.title')}>
      <Fetched query={query} height={120}>
        {query.isSuccess && changes.length === 0 ? <p className={css.none}>{t('device.presence.none')}</p> : null}
        <ol className={css.changes}>
          {changes.map((change, i) => (
            <Change key={`${change.time} ${change.onlineState}`} change={change} until={changes[i - 1]?.time} />
          ))}
        </ol>
        {query.hasNextPage ? (
          <Button size="small" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('device.presence.more')}
          </Button>
        ) : null}
      </Fetched>
    </Section>
  );
}

/**
 * A current offline state begins at the last contact, as shown above, not when the server noticed
 * it.
 */
function sinceLastContact(change: PresenceChange, i: number, device: Device): PresenceChange {
  const since = offlineSince(device);
  const holds = i === 0 && change.onlineState === 0 && device.onlineState === 0;
  return holds && since !== undefined && since < change.time ? { ...change, time: since } : change;
}

/** `until`: the time of the next change; undefined for the newest, which still holds. */
function Change({ change: { time, onlineState }, until }: { change: PresenceChange; until: number | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const online = onlineState === 1;
  const Icon = online ? CheckCircleFilled : DisconnectOutlined;
  const moment = useClock((now) => format.moment(time, now));
  const span = useClock((now) => format.duration((until ?? now) - time));
  return (
    <li className={css.change}>
      <span className={`${css.state} ${online ? css.online : ''}`}>
        <Icon aria-hidden="true" />
        {t(online ? 'home.state.online' : 'home.state.offline')}
      </span>
      <time className={css.time} dateTime={new Date(time).toISOString()} title={format.absolute(time)}>
        {moment}
      </time>
      <span className={css.span}>
        {t('device.presence.for', { span })}
        {until === undefined ? <span className={css.now}> {t('device.presence.until')}</span> : null}
      </span>
    </li>
  );
}
