import RightOutlined from '@ant-design/icons/RightOutlined';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { Loading, Skeleton } from '@/ui/Skeleton';
import css from './Cards.module.css';
import { Contact, HealthReading, healthReading, LatestReading, State } from './cells';
import { addressOf, onPlainClick } from './Row';
import { skeletonRows } from './skeletonRows';

interface CardsProps {
  devices: readonly Device[] | undefined;
  expected: number;
  onOpen: (deviceName: string, edit: boolean) => void;
}

/** On a phone: the devices one below the other. */
export function Cards({ devices, expected, onOpen }: CardsProps) {
  const { t } = useTranslation();
  if (!devices) {
    return (
      <Loading>
        {skeletonRows(expected).map((row) => (
          <div key={row} className={css.card}>
            <Skeleton height={36} width="70%" />
          </div>
        ))}
      </Loading>
    );
  }
  return (
    <ul aria-label={t('home.list.title')}>
      {devices.map((device) => (
        <Card key={device.id} device={device} onOpen={onOpen} />
      ))}
    </ul>
  );
}

/** Battery and signal, each with its age; nothing if the device reports neither. */
function Health({ device }: { device: Device }) {
  const { t } = useTranslation();
  const [battery, signal] = [healthReading(device, 'battery'), healthReading(device, 'signal')];
  if (!battery && !signal) return null;
  return (
    <span className={css.health}>
      {battery ? (
        <span>
          {t('device.col.battery')} <HealthReading device={device} of="battery" />
        </span>
      ) : null}
      {signal ? (
        <span>
          {t('device.col.signal')} <HealthReading device={device} of="signal" />
        </span>
      ) : null}
    </span>
  );
}

const Card = memo(function Card({ device, onOpen }: { device: Device } & Pick<CardsProps, 'onOpen'>) {
  const { t } = useTranslation();
  const { deviceName, noteName, groupId, groupName } = device;
  const scene = groupId === 0 ? t('home.defaultGroup') : groupName;
  return (
    <li>
      <a
        className={css.card}
        href={addressOf(deviceName, false)}
        data-device={deviceName}
        onClick={onPlainClick(() => onOpen(deviceName, false))}
      >
        <span className={css.who}>
          <span className={`${css.name} ${noteName ? '' : css.quiet}`}>{noteName || t('device.noNote')}</span>
          <span className={css.under}>
            {deviceName} · {scene}
          </span>
          <Health device={device} />
        </span>
        <span className={css.how}>
          <span className={css.value}>
            <LatestReading device={device} />
          </span>
          <span className={css.state}>
            <State device={device} />
            <Contact device={device} />
          </span>
        </span>
        <RightOutlined className={css.arrow} aria-hidden="true" />
      </a>
    </li>
  );
});
