import RightOutlined from '@ant-design/icons/RightOutlined';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { Loading, Skeleton } from '@/ui/Skeleton';
import css from './Cards.module.css';
import { type CellProps, Contact, LatestReading, State } from './cells';
import { columns, sceneOf } from './columns';
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

/** What not every device has, each with its name; nothing if the device has none of it. */
function Extras({ device }: CellProps) {
  const { t } = useTranslation();
  const list = columns.filter(({ has }) => has?.(device));
  if (list.length === 0) return null;
  return (
    <span className={css.extras}>
      {list.map(({ name, head, Cell }) => (
        <span key={name}>
          {t(head)} <Cell device={device} />
        </span>
      ))}
    </span>
  );
}

const Card = memo(function Card({ device, onOpen }: { device: Device } & Pick<CardsProps, 'onOpen'>) {
  const { t } = useTranslation();
  const { deviceName, noteName } = device;
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
            {deviceName} · {sceneOf(device, t)}
          </span>
          <Extras device={device} />
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
