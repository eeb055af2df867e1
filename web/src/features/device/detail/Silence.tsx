import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { SilenceNote } from '@/ui/silence/SilenceNote';
import { NewSecret } from './NewSecret';
import css from './Silence.module.css';

/** With what a silent device's sheet begins: why it is silent, and what to do. */
export function Silence({ device }: { device: Device }) {
  const { t } = useTranslation();
  const [confirming, setConfirming] = useState(false);
  if (device.onlineState === 1) return null;
  return (
    <div className={css.silence}>
      <SilenceNote
        device={device}
        newSecret={
          <Button size="small" onClick={() => setConfirming(true)}>
            {t('device.secret.new')}
          </Button>
        }
      />
      <NewSecret device={device} open={confirming} onClose={() => setConfirming(false)} />
    </div>
  );
}
