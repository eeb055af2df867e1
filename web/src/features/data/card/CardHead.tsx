import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { StateChips } from '@/ui/StateChips';
import css from './Card.module.css';
import { SiblingNames } from './siblingNames';
import { TruncatedName } from './TruncatedName';

/**
 * The device's name, model and state. The device name comes before the model, so that it is not
 * cut.
 */
export function CardHead({ device }: { device: Device }) {
  const { t } = useTranslation();
  const siblings = useContext(SiblingNames);
  const name = nameOf(device);
  const kind = t('data.card.kind', { name: device.deviceName, model: device.productName });
  return (
    <header className={css.head}>
      <div className={css.names}>
        <h3 className={css.name}>
          <TruncatedName name={name} siblings={siblings} />
        </h3>
        <p className={css.kind} title={kind}>
          {kind}
        </p>
      </div>
      <span className={css.chips}>
        <StateChips device={device} brief />
      </span>
    </header>
  );
}
