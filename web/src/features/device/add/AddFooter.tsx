import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { SendButton } from '@/ui/form/SendButton';
import { StoredCheck, type useStoredCheck } from '@/ui/StoredCheck';
import type { DeviceOffer } from '../queries';
import type { AddWay } from '../search';
import type { Added } from './added';
import type { AddForm } from './useAddForm';
import type { Claim } from './useClaim';
import type { Table } from './useTable';
import { waysOf } from './ways';

/** The forms of the three ways. */
export interface AddForms {
  fresh: AddForm;
  claim: Claim;
  table: Table;
}

interface AddFooterProps {
  /** The form's id. */
  id: string;
  added: Added | null;
  way: AddWay;
  offer: DeviceOffer | undefined;
  forms: AddForms;
  stored: ReturnType<typeof useStoredCheck>;
  received: boolean;
  onClose: () => void;
  onAnother: () => void;
  onOpen: (deviceName: string) => void;
}

/** The buttons of each step. */
export function AddFooter({ id, added, way, offer, forms, ...rest }: AddFooterProps) {
  const { t } = useTranslation();
  if (added) return <AddedFooter added={added} {...rest} />;
  const { onClose } = rest;
  if (!offer || !waysOf(offer).includes(way)) return <Button onClick={onClose}>{t('common.close')}</Button>;
  return (
    <>
      <Button onClick={onClose}>{t('common.cancel')}</Button>
      <Submit id={id} way={way} offer={offer} forms={forms} />
    </>
  );
}

interface SubmitProps extends Pick<AddFooterProps, 'id' | 'way' | 'forms'> {
  offer: DeviceOffer;
}

function Submit({ id, way, offer, forms: { fresh, claim, table } }: SubmitProps) {
  const { t } = useTranslation();
  const format = useFormat();
  switch (way) {
    case 'new':
      return (
        <SendButton form={id} loading={fresh.busy} disabled={offer.used >= offer.most}>
          {t('device.add.submit')}
        </SendButton>
      );
    case 'code':
      return (
        <SendButton form={id} loading={claim.reading || claim.adding.busy}>
          {t(claim.label ? 'device.add.submit' : 'device.code.next')}
        </SendButton>
      );
    case 'table':
      return (
        <SendButton form={id} loading={table.busy}>
          {table.ready
            ? t('device.table.add', { count: table.ready, n: format.number(table.ready) })
            : t('device.table.check')}
        </SendButton>
      );
  }
}

type AddedFooterProps = Omit<AddFooterProps, 'id' | 'way' | 'offer' | 'forms' | 'added'> & { added: Added };

function AddedFooter({ added, stored, received, onClose, onAnother, onOpen }: AddedFooterProps) {
  const { t } = useTranslation();
  const isTable = added.kind === 'table';
  // Its page is behind the dialog.
  const isSwapped = !isTable && added.swapTime !== undefined;
  const holds = isTable || added.secret !== null;
  const locked = holds && !stored.stored;
  return (
    <>
      {holds ? (
        <StoredCheck
          check={stored}
          label={t(isTable ? 'device.table.stored' : 'secret.stored')}
          warning={t(isTable ? 'device.table.storeFirst' : 'secret.storeFirst')}
        />
      ) : null}
      {isTable || isSwapped || !received ? (
        <Button type="primary" disabled={locked} onClick={onClose}>
          {t('secret.done')}
        </Button>
      ) : (
        <>
          <Button disabled={locked} onClick={onAnother}>
            {t('device.added.another')}
          </Button>
          <Button type="primary" disabled={locked} onClick={() => onOpen(added.deviceName)}>
            {t('device.added.open')}
          </Button>
        </>
      )}
    </>
  );
}
