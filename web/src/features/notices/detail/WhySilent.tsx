import { SilenceNote } from '@/ui/silence/SilenceNote';
import type { AlarmDetail } from '../queries';
import css from './WhySilent.module.css';

/** In an open notice of a device that is offline: why it is silent, and what to do. */
export function WhySilent({ detail }: { detail: AlarmDetail }) {
  const { deviceName, onlineState, deleted } = detail.alarmDeviceInfoRespDTO;
  const { alarmNotice, alarmRules } = detail;
  if (alarmRules.triggerType !== 1 || alarmNotice.resolveStatus !== 0 || onlineState === 1 || deleted) return null;
  return (
    <div className={css.why}>
      <SilenceNote device={{ deviceName, lastContact: alarmNotice.holdsSince }} />
    </div>
  );
}
