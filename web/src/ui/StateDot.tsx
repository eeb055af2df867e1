import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { Dot } from './Dot';
import css from './StateDot.module.css';

/**
 * Whether a device is online, and at the upper right of it, as on the map, that an alarm is pending:
 * online in alarm and offline in alarm are different matters.
 */
export function StateDot({ device }: { device: Pick<Device, 'alarmLevel' | 'onlineState'> }) {
  const { t } = useTranslation();
  const state = device.onlineState === 1 ? 'online' : 'offline';
  return (
    <span className={css.mark}>
      <Dot state={state} label={t(`home.state.${state}`)} />
      {device.alarmLevel === undefined ? null : (
        <span className={css.alarm}>
          <Dot state="alarm" label={t('home.state.alarm')} />
        </span>
      )}
    </span>
  );
}
