import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { useTranslation } from 'react-i18next';
import { type Device, hasPicture, mainReading } from '@/lib/device/types';
import { missingValue, useFormat } from '@/lib/format/format';
import { Age } from '@/ui/Age';
import { levelIcons } from '@/ui/alarm/tags';
import css from './cells.module.css';

export interface CellProps {
  device: Device;
}

/** Online or offline as an icon and a word; the icon and the colour are those of a pending alarm, if there is one. */
export function State({ device: { onlineState, alarmLevel } }: CellProps) {
  const { t } = useTranslation();
  const online = onlineState === 1;
  const state = t(online ? 'home.state.online' : 'home.state.offline');
  if (alarmLevel !== undefined) {
    const Icon = levelIcons[alarmLevel];
    const alarm = `${t('home.state.alarm')} · ${t(`home.level.${alarmLevel}`)}`;
    return (
      <span className={`${css.state} ${css.level}`} data-level={alarmLevel} title={alarm}>
        <Icon aria-hidden="true" />
        {state}
        <span className="visually-hidden"> · {alarm}</span>
      </span>
    );
  }
  const Icon = online ? CheckCircleFilled : DisconnectOutlined;
  return (
    <span className={`${css.state} ${online ? css.online : ''}`}>
      <Icon aria-hidden="true" />
      {state}
    </span>
  );
}

/** How long ago the last contact was. */
export function Contact({ device }: CellProps) {
  const { t } = useTranslation();
  const { onlineState, lastContact } = device;
  if (hasPicture(device) && onlineState === 1) return <span className={css.age}>{t('home.list.live')}</span>;
  if (lastContact === undefined) return <span className={css.age}>{missingValue}</span>;
  return <Age time={lastContact} />;
}

/** A reading of the device's own state: its battery's or its radio's. */
export function healthReading(device: Device, of: 'battery' | 'signal') {
  const sign = of === 'battery' ? device.batterySign : device.signalSign;
  return sign === undefined ? undefined : device.lastData[0]?.[sign];
}

/** A reading of the device's own state, and how old it is. */
export function HealthReading({ device, of }: CellProps & { of: 'battery' | 'signal' }) {
  const format = useFormat();
  const reading = healthReading(device, of);
  if (!reading) return <span className={css.age}>{missingValue}</span>;
  return (
    <span className={css.health} title={`${reading.name}: ${format.reading(reading)}`}>
      {format.reading(reading)}
      <Age time={reading.time} />
    </span>
  );
}

/** Longer texts of value and unit do not fit into the column in the usual size. */
const wideTextLength = 17;

/** The device's main reading. */
export function LatestReading({ device }: CellProps) {
  const { t } = useTranslation();
  const format = useFormat();
  if (device.type === 2) return <>{t('device.video')}</>;
  const reading = mainReading(device);
  if (!reading) return <>{missingValue}</>;
  const text = format.reading(reading);
  return (
    <span className={text.length > wideTextLength ? css.long : undefined} title={`${reading.name}: ${text}`}>
      {text}
    </span>
  );
}
