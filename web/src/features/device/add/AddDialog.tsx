import { useBlocker } from '@tanstack/react-router';
import { useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { api } from '@/lib/http/api';
import { Dialog } from '@/ui/Dialog';
import { DiscardDialog } from '@/ui/DiscardDialog';
import { useStoredCheck } from '@/ui/StoredCheck';
import { useFirstReading } from '../first/useFirstReading';
import type { DeviceOffer } from '../queries';
import type { AddWay } from '../search';
import { AddedStep } from './AddedStep';
import { AddFooter } from './AddFooter';
import { AddStep } from './AddStep';
import { type Added, forgetAdded, holdsSecret, useAdded } from './added';
import { addBody } from './rules';
import { TableStep } from './TableStep';
import { useAddForm } from './useAddForm';
import { useClaim } from './useClaim';
import { useTable } from './useTable';
import { waysOf } from './ways';

interface AddDialogProps {
  /** The chosen way; undefined: closed, unless something was added. */
  way: AddWay | undefined;
  /** Undefined until it is fetched, and for those who may not add devices. */
  offer: DeviceOffer | undefined;
  /** The scene and the model that the page shows. */
  preset: { productId?: number; groupId?: number };
  onWay: (way: AddWay) => void;
  onClose: () => void;
  onOpenDevice: (deviceName: string) => void;
}

/** Adds devices in one of three ways, then shows how the device connects and waits for its first reading. */
export function AddDialog({ way, offer, preset, onWay, onClose, onOpenDevice }: AddDialogProps) {
  const id = useId();
  const added = useAdded((state) => state.added);
  const open = way !== undefined || added !== null;
  // The dialog keeps its content, and with it the secrets, while it closes.
  const [shown, setShown] = useState<Added | null>(added);
  if (open && added !== shown) setShown(added);
  const [lastWay, setLastWay] = useState<AddWay>(way ?? 'new');
  if (way !== undefined && way !== lastWay) setLastWay(way);

  const products = offer?.products ?? [];
  const offered = (productId: number | undefined) => products.some((product) => product.productId === productId);
  const only = products.length === 1 ? products[0]?.productId : undefined;
  const fresh = useAddForm({
    preset: { ...preset, productId: offered(preset.productId) ? preset.productId : only },
    send: ({ productId = 0, ...values }) =>
      api.post('/admin-api/client/pc/device/create', { body: { ...addBody({ ...values, productId }), productId } }),
  });
  const claim = useClaim({ shown: way === 'code' && offer?.claims === true, preset: { groupId: preset.groupId } });
  const table = useTable();
  const stored = useStoredCheck();
  const waited = shown?.kind === 'device' ? shown : undefined;
  const first = useFirstReading(waited?.deviceName, waited?.swapTime);

  // Only the end of the session leads to the sign-in page, and then nothing must be shown any more.
  // The store, not the last render, knows what was just stored.
  const wouldLose = () => holdsSecret(useAdded.getState().added);
  useBlocker({
    shouldBlockFn: ({ next }) => next.pathname !== '/signin' && wouldLose(),
    enableBeforeUnload: wouldLose,
    disabled: !holdsSecret(added),
  });
  const leaving = useRef(false);
  const dirty = fresh.dirty || claim.dirty || table.dirty;

  const reset = () => {
    leaving.current = false;
    for (const form of [fresh, claim, table]) form.reset();
    stored.forget();
  };
  const openDevice = (deviceName: string) => {
    // What was typed is of a device that is there already.
    leaving.current = true;
    forgetAdded();
    onOpenDevice(deviceName);
  };
  /** Does something with what was added, once its secrets are stored. */
  const once = (act: () => void) => () => {
    if (!holdsSecret(added) || stored.demand()) act();
  };
  const close = once(() => {
    forgetAdded();
    onClose();
  });
  const another = once(() => {
    forgetAdded();
    reset();
    onWay(lastWay);
  });
  const title = useTitle(shown);

  return (
    <>
      <Dialog
        open={open}
        title={title}
        onClose={close}
        firm={shown ? holdsSecret(shown) && !stored.stored : dirty || claim.text !== ''}
        width={600}
        onClosed={reset}
        footer={
          <AddFooter
            id={id}
            added={shown}
            way={lastWay}
            offer={offer}
            forms={{ fresh, claim, table }}
            stored={stored}
            received={first.reading !== undefined}
            onClose={close}
            onAnother={another}
            onOpen={(deviceName) => once(() => openDevice(deviceName))()}
          />
        }
      >
        {shown?.kind === 'device' ? (
          <AddedStep key={shown.deviceName} added={shown} first={first} onNewSecret={stored.forget} />
        ) : shown ? (
          <TableStep rows={shown.rows} />
        ) : (
          <AddStep
            id={id}
            way={lastWay}
            ways={offer ? waysOf(offer) : []}
            forms={{ fresh, claim, table }}
            onWay={onWay}
            onOpenDevice={openDevice}
          />
        )}
      </Dialog>
      <DiscardDialog
        when={open && added === null && dirty}
        saved={leaving}
        isSameForm={({ pathname, search }) => pathname === '/device' && (search as { add?: AddWay }).add !== undefined}
      />
    </>
  );
}

function useTitle(added: Added | null): string {
  const { t } = useTranslation();
  const format = useFormat();
  if (!added) return t('device.add.title');
  if (added.kind === 'device') {
    return t(added.swapTime === undefined ? 'device.added.title' : 'device.swap.connect', { name: added.noteName });
  }
  const count = added.rows.length;
  return t('device.table.done', { count, n: format.number(count) });
}
