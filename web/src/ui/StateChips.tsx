import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { LevelTag } from './alarm/tags';
import { Chip } from './Chip';

interface StateChipsProps {
  device: Pick<Device, 'alarmLevel' | 'onlineState'>;
  /** For little room: only a screen reader hears that a device with an alarm is online. */
  brief?: boolean;
}

/** How serious the pending alarm is, and whether the device is online. */
export function StateChips({ device, brief = false }: StateChipsProps) {
  const { t } = useTranslation();
  const { alarmLevel, onlineState } = device;
  const onlineIsImplied = brief && alarmLevel !== undefined && onlineState === 1;
  return (
    <>
      {alarmLevel === undefined ? null : <LevelTag level={alarmLevel} title={t('home.state.alarm')} />}
      {onlineIsImplied ? <span className="visually-hidden">{t('home.state.online')}</span> : null}
      {onlineState === 1 && !onlineIsImplied ? (
        <Chip tone="ok" icon={<CheckCircleFilled />}>
          {t('home.state.online')}
        </Chip>
      ) : null}
      {onlineState === 0 ? (
        <Chip tone="off" icon={<DisconnectOutlined />}>
          {t('home.state.offline')}
        </Chip>
      ) : null}
    </>
  );
}
