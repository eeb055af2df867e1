import EditOutlined from '@ant-design/icons/EditOutlined';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { useMay } from '@/lib/session/useMay';
import { IconButton } from '@/ui/IconButton';
import { Sheet } from '@/ui/Sheet';
import { StateChips } from '@/ui/StateChips';
import { CalibrationHost } from '../calibration/CalibrationHost';
import { Calibrations } from '../calibration/Calibrations';
import { Connection } from './Connection';
import { Coverage } from './Coverage';
import { Identity } from './Identity';
import { Intake } from './Intake';
import { Presence } from './Presence';
import { Readings } from './Readings';
import { RefusedNote } from './RefusedNote';
import { Removal } from './Removal';
import { Silence } from './Silence';
import { Swap } from './Swap';
import { Swaps } from './Swaps';
import { useDetailLive } from './useDetailLive';

interface DetailSheetProps {
  device: Device;
  beside: boolean;
  onEdit: () => void;
  onClose: () => void;
}

/** Everything that is known of a device, the most used parts first. */
export function DetailSheet({ device, beside, onEdit, onClose }: DetailSheetProps) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  const mayEdit = useMay('operator');
  const mayDelete = useMay('owner');
  const [calibrating, setCalibrating] = useState<string | null>(null);
  const calibrate = mayEdit ? setCalibrating : undefined;
  useDetailLive(device.deviceName);
  return (
    <Sheet
      title={nameOf(device)}
      aside={
        <>
          <StateChips device={device} brief />
          {!mayEdit ? null : isPhone ? (
            // An icon only, since the name needs the room.
            <IconButton label={t('device.edit')} icon={<EditOutlined aria-hidden="true" />} onClick={onEdit} />
          ) : (
            <Button size="small" icon={<EditOutlined aria-hidden="true" />} onClick={onEdit}>
              {t('device.edit')}
            </Button>
          )}
        </>
      }
      beside={beside}
      onClose={onClose}
    >
      <Silence device={device} />
      <Identity device={device} />
      <RefusedNote device={device} />
      <Readings device={device} onCalibrate={calibrate} />
      <Calibrations device={device} onCalibrate={calibrate} />
      <Coverage deviceName={device.deviceName} />
      <Presence device={device} />
      <Swaps deviceName={device.deviceName} />
      <Intake deviceName={device.deviceName} />
      <Connection device={device} />
      {mayEdit ? <Swap device={device} /> : null}
      {mayDelete && device.removable ? <Removal device={device} onDeleted={onClose} /> : null}
      <CalibrationHost device={device} sign={calibrating} onClose={() => setCalibrating(null)} />
    </Sheet>
  );
}
