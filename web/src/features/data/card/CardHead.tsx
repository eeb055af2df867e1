import ClockCircleOutlined from '@ant-design/icons/ClockCircleOutlined';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { isStale } from '@/lib/device/staleness';
import { type Device, nameOf } from '@/lib/device/types';
import { useClock } from '@/lib/format/clock';
import { LevelTag } from '@/ui/alarm/tags';
import { Chip } from '@/ui/Chip';
import { Dot } from '@/ui/Dot';
import { CompareBox } from '../compare/CompareBox';
import css from './Card.module.css';
import { SiblingNames } from './siblingNames';
import { TruncatedName } from './TruncatedName';

interface CardHeadProps {
  device: Device;
  /** Whether the device has readings that can be compared with those of others. */
  comparable?: boolean;
}

/**
 * The device's name, model, whether it is online, and what is not as usual. The name has a line of its own, so that no
 * chip cuts it; the device name comes before the model, so that it is not cut.
 */
export function CardHead({ device, comparable = false }: CardHeadProps) {
  const { t } = useTranslation();
  const siblings = useContext(SiblingNames);
  const name = nameOf(device);
  const kind = t('data.card.kind', { name: device.deviceName, model: device.productName });
  return (
    <header className={css.head}>
      <div className={css.names}>
        <h4 className={css.name}>
          <TruncatedName name={name} siblings={siblings} />
        </h4>
        {comparable ? <CompareBox device={device} /> : null}
      </div>
      <div className={css.state}>
        <p className={css.kind} title={kind}>
          {kind}
        </p>
        <span className={css.chips}>
          <State device={device} />
        </span>
      </div>
    </header>
  );
}

/** Whether the device is online, and chips for what is not as usual; beside a chip a dot is enough. */
function State({ device }: { device: Device }) {
  const { t } = useTranslation();
  const { alarmLevel, onlineState, lastData, offlineAfter } = device;
  const newest = Math.max(...Object.values(lastData[0] ?? {}).map(({ time }) => time));
  const late = useClock((now) => Number.isFinite(newest) && isStale(newest, offlineAfter, undefined, now));
  return (
    <>
      {onlineState === 1 && (alarmLevel !== undefined || late) ? (
        <Dot state="online" label={t('home.state.online')} />
      ) : null}
      {alarmLevel === undefined ? null : <LevelTag level={alarmLevel} title={t('home.state.alarm')} />}
      {onlineState === 0 ? (
        <Chip tone="off" icon={<DisconnectOutlined />}>
          {t('home.state.offline')}
        </Chip>
      ) : null}
      {onlineState === 1 && alarmLevel === undefined && !late ? (
        <span className={css.online}>
          <Dot state="online" />
          {t('home.state.online')}
        </span>
      ) : null}
      {onlineState === 1 && late ? (
        <Chip tone="warn" icon={<ClockCircleOutlined />} title={t('data.card.staleHint')}>
          {t('data.card.stale')}
        </Chip>
      ) : null}
    </>
  );
}
