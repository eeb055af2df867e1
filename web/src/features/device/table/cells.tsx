import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { useTranslation } from 'react-i18next';
import { type Device, hasPicture, mainReading } from '@/lib/device/types';
import { missing, useFormat } from '@/lib/format/format';
import { Age } from '@/ui/Age';
import css from './cells.module.css';

interface CellProps {
  device: Device;
}

/** Online or offline: an icon and a word, without a plate, as it stands in every row. */
export function State({ device: { onlineState } }: CellProps) {
  const { t } = useTranslation();
  const online = onlineState === 1;
  const Icon = online ? CheckCircleFilled : DisconnectOutlined;
  return (
    <span className={`${css.state} ${online ? css.online : ''}`}>
      <Icon aria-hidden="true" />
      {t(online ? 'home.state.online' : 'home.state.offline')}
    </span>
  );
}

/** How long ago anything came of it. */
export function Contact({ device }: CellProps) {
  const { t } = useTranslation();
  const { onlineState, lastContact } = device;
  if (hasPicture(device) && onlineState === 1) return <span className={css.age}>{t('home.list.live')}</span>;
  if (lastContact === undefined) return <span className={css.age}>{missing}</span>;
  return <Age time={lastContact} />;
}

/** More characters of value and unit than its column has room for in the usual size. */
const wide = 17;

/** The reading that the device is there for. */
export function LatestReading({ device }: CellProps) {
  const { t } = useTranslation();
  const format = useFormat();
  if (device.type === 2) return <>{t('device.video')}</>;
  const reading = mainReading(device);
  if (!reading) return <>{missing}</>;
  const text = format.reading(reading);
  return (
    <span className={text.length > wide ? css.long : undefined} title={`${reading.name}: ${text}`}>
      {text}
    </span>
  );
}
