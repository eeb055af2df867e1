import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import DisconnectOutlined from '@ant-design/icons/DisconnectOutlined';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { LevelTag } from './alarm/tags';
import { Chip } from './Chip';
import { Dot } from './Dot';

interface StateChipsProps {
  device: Pick<Device, 'alarmLevel' | 'onlineState'>;
  /** For little room: beside an alarm, a dot says that the device is online. */
  brief?: boolean;
}

/** How serious the pending alarm is, and whether the device is online. */
export function StateChips({ device, brief = false }: StateChipsProps) {
  const { t } = useTranslation();
  const { alarmLevel, onlineState } = device;
  const onlineAsDot = brief && alarmLevel !== undefined && onlineState === 1;
  return (
    <>
      {alarmLevel === undefined ? null : <LevelTag level={alarmLevel} title={t('home.state.alarm')} />}
      {onlineAsDot ? <Dot state="online" label={t('home.state.online')} /> : null}
      {onlineState === 1 && !onlineAsDot ? (
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
