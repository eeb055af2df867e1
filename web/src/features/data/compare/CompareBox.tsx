import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { TickMark } from '@/ui/deviceTree/TickMark';
import css from './Compare.module.css';
import { ComparedDevices, maxCompared } from './compared';

/** Chooses a device for a comparison. */
export function CompareBox({ device }: { device: Device }) {
  const { t } = useTranslation();
  const { devices, toggle } = useContext(ComparedDevices);
  const chosen = devices.some(({ deviceName }) => deviceName === device.deviceName);
  const full = !chosen && devices.length >= maxCompared;
  const label = t('data.compare.choose', { name: nameOf(device) });
  return (
    <label className={css.target} title={full ? t('data.compare.full', { count: maxCompared }) : label}>
      <input type="checkbox" className={css.box} checked={chosen} disabled={full} onChange={() => toggle(device)} />
      <TickMark ticked={chosen} />
      <span className="visually-hidden">{label}</span>
    </label>
  );
}
