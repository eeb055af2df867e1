import { useState } from 'react';
import type { Device } from '@/lib/device/types';
import { lazyComponent } from '@/ui/lazyComponent';

const CalibrationDialog = lazyComponent(() => import('./CalibrationDialog'), 'CalibrationDialog');

interface CalibrationHostProps {
  device: Device;
  /** The property to calibrate; null: the dialog is closed. */
  sign: string | null;
  onClose: () => void;
}

/** The dialog that calibrates, whose code is fetched when it first opens; each time with an empty form. */
export function CalibrationHost({ device, sign, onClose }: CalibrationHostProps) {
  // It keeps its content while it closes.
  const [shown, setShown] = useState<string | null>(null);
  if (sign !== null && sign !== shown) setShown(sign);
  if (shown === null) return null;
  return (
    <CalibrationDialog
      device={device}
      sign={shown}
      open={sign !== null}
      onClose={onClose}
      onClosed={() => setShown(null)}
    />
  );
}
