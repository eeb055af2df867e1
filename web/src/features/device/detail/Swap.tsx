import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Device } from '@/lib/device/types';
import { Section } from './Section';
import css from './Swap.module.css';
import { SwapDialog } from './SwapDialog';

/** Puts another device in the place of a broken one. */
export function Swap({ device }: { device: Device }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  return (
    <Section
      title={t('device.swap.title')}
      aside={
        <Button size="small" aria-label={t('device.swap.title')} onClick={() => setAsking(true)}>
          {t('device.swap.button')}
        </Button>
      }
    >
      <p className={css.what}>{t('device.swap.what')}</p>
      <SwapDialog device={device} open={asking} onClose={() => setAsking(false)} />
    </Section>
  );
}
