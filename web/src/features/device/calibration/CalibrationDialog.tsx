import { Button } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { Dialog } from '@/ui/Dialog';
import { SendButton } from '@/ui/form/SendButton';
import { CalibrationFields } from './CalibrationFields';
import { useCalibrationForm } from './useCalibrationForm';

interface CalibrationDialogProps {
  device: Device;
  /** The property that is chosen at first. */
  sign: string;
  open: boolean;
  onClose: () => void;
  onClosed: () => void;
}

/** Corrects a property of a device from a time on. */
export function CalibrationDialog({ device, sign, open, onClose, onClosed }: CalibrationDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const calibrating = useCalibrationForm(device.deviceName, sign, onClose);
  return (
    <Dialog
      open={open}
      title={t('calibration.form.title', { name: nameOf(device) })}
      onClose={onClose}
      firm={calibrating.dirty}
      width={520}
      onClosed={onClosed}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={calibrating.busy}>
            {t('calibration.calibrate')}
          </SendButton>
        </>
      }
    >
      <form id={id} onSubmit={calibrating.form.submit} noValidate>
        <CalibrationFields device={device} calibrating={calibrating} />
      </form>
    </Dialog>
  );
}
