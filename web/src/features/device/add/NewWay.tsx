import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { Note } from '@/ui/Note';
import type { DeviceOffer } from '../queries';
import css from './AddDialog.module.css';
import { AddFields } from './AddFields';
import type { AddForm } from './useAddForm';

interface NewWayProps {
  id: string;
  offer: DeviceOffer;
  adding: AddForm;
  onOpenDevice: (deviceName: string) => void;
}

/** A device of which the server knows nothing yet. */
export function NewWay({ id, offer, adding, onOpenDevice }: NewWayProps) {
  return (
    <>
      <Used offer={offer} />
      <form id={id} onSubmit={adding.form.submit} noValidate>
        <AddFields adding={adding} products={offer.products} onOpenDevice={onOpenDevice} />
      </form>
    </>
  );
}

/** How many devices may still be added. */
export function Used({ offer: { used, most } }: { offer: DeviceOffer }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (used < most) {
    const counts = { used: format.number(used), most: format.number(most) };
    return <p className={css.used}>{t('device.add.used', counts)}</p>;
  }
  return (
    <div className={css.note}>
      <Note tone="warn" title={t('device.add.fullTitle', { most: format.number(most) })}>
        {t('device.add.fullText')}
      </Note>
    </div>
  );
}
