import DownOutlined from '@ant-design/icons/DownOutlined';
import LoadingOutlined from '@ant-design/icons/LoadingOutlined';
import RightOutlined from '@ant-design/icons/RightOutlined';
import StopOutlined from '@ant-design/icons/StopOutlined';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { pageSize } from '@/lib/device/queries';
import { isStale } from '@/lib/device/staleness';
import { type Device, type Group, hasPicture, mainReading, nameOf } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { Age } from '@/ui/Age';
import { OfflineDuration } from '@/ui/OfflineDuration';
import { StateDot } from '@/ui/StateDot';
import css from './Rows.module.css';
import type { MoreState } from './rows';
import { type Tick, TickMark } from './TickMark';

interface GroupRowProps {
  group: Group;
  open: boolean;
  /** Undefined where groups cannot be ticked. */
  ticked?: Tick;
  onTick?: () => void;
}

export const GroupRow = memo(function GroupRow({ group, open, ticked, onTick }: GroupRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const name = group.id === 0 ? t('home.defaultGroup') : group.groupName;
  const [online, all] = [format.number(group.onlineCount), format.number(group.deviceCount)];
  return (
    <>
      <span className={css.caret} aria-hidden="true">
        {open ? <DownOutlined /> : <RightOutlined />}
      </span>
      {ticked === undefined ? null : <TickMark ticked={ticked} onClick={onTick} />}
      <span className={css.groupName} title={name}>
        {name}
      </span>{' '}
      {group.groupStatus === 2 ? (
        <span className={css.forbidden} title={t('home.list.forbidden')}>
          <StopOutlined aria-hidden="true" />
          <span className="visually-hidden">{t('home.list.forbidden')}</span>
        </span>
      ) : null}
      <span className={css.count} title={t('home.list.onlineOf', { online, all })}>
        <span aria-hidden="true">
          {online}
          <span className={css.all}>{`\u00a0/ ${all}`}</span>
        </span>
        <span className="visually-hidden"> {t('home.list.onlineOf', { online, all })}</span>
      </span>
    </>
  );
});

interface DeviceRowProps {
  device: Device;
  selected: boolean;
  /** Undefined where devices cannot be ticked. There is no room for the reading beside the box. */
  ticked?: Tick;
}

export const DeviceRow = memo(function DeviceRow({ device, selected, ticked }: DeviceRowProps) {
  const format = useFormat();
  const name = nameOf(device);
  const online = device.onlineState === 1;
  // A camera's picture matters, not the temperature of its housing.
  const reading = online && device.type === 1 && ticked === undefined ? mainReading(device) : undefined;
  const title = device.noteName ? `${name} (${device.deviceName})` : name;
  return (
    <>
      {ticked === undefined ? null : <TickMark ticked={ticked} />}
      <StateDot device={device} />{' '}
      <span className={`${css.name} ${selected || ticked ? css.chosen : ''}`} title={title}>
        {name}
      </span>{' '}
      {reading ? <span className={css.value}>{format.reading(reading)}</span> : null}{' '}
      <span className={css.when}>
        <When device={device} />
      </span>
    </>
  );
});

/** The last column: how long the device has been silent, the alarm's level, or the reading's age. */
function When({ device }: { device: Device }) {
  const { t } = useTranslation();
  const { alarmLevel } = device;
  const reading = mainReading(device);
  const stale = useClock((now) => (reading ? isStale(reading.time, device.offlineAfter, undefined, now) : false));
  const level = alarmLevel === undefined ? {} : { className: css.level, 'data-level': alarmLevel };
  if (device.onlineState === 0) {
    return (
      <span {...level}>
        <OfflineDuration device={device} />
      </span>
    );
  }
  if (alarmLevel !== undefined) return <span {...level}>{t(`home.level.${alarmLevel}`)}</span>;
  if (device.type === 2) return hasPicture(device) ? t('home.list.live') : null;
  return reading ? <Age time={reading.time} stale={stale} /> : null;
}

export function MoreRow({ left, state }: { left: number; state: MoreState }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (state === 'loading') {
    return (
      <span className={css.more}>
        <LoadingOutlined aria-hidden="true" /> {t('common.loading')}
      </span>
    );
  }
  const next = format.number(Math.min(left, pageSize));
  const words = t('home.list.more', { next, left: format.number(left) });
  return <span className={css.more}>{state === 'failed' ? t('home.list.moreFailed') : words}</span>;
}

export function NoneRow() {
  const { t } = useTranslation();
  return <span className={css.none}>{t('home.list.noDevices')}</span>;
}
