import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { deviceKeys } from '@/lib/device/queries';
import { type Device, nameOf } from '@/lib/device/types';
import { now } from '@/lib/format/clock';
import { api } from '@/lib/http/api';
import { errorText, formErrorText } from '@/lib/http/errorText';
import { fieldRefusal } from '@/lib/http/fieldRefusal';
import { isNoAnswer } from '@/lib/http/http';
import { keepAdded } from '../add/added';
import { takenBy } from '../add/rules';
import { detailKey, firstReadingQuery } from '../queries';

/** What the user types about the device that takes the place. */
export interface SwapValues {
  serial: string;
  note: string;
  short: boolean;
}

/** Swaps a device. The dialog for a device that was added shows the new secret and waits for the first reading. */
export function useSwap(device: Device, onSwapped: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { deviceName } = device;
  const swap = useMutation({
    // Returns nothing: the secret is kept in a single place, from which the user dismisses it.
    mutationFn: async ({ serial, note, short }: SwapValues) => {
      const body = { deviceName, serial: serial.trim() || undefined, note: note.trim() || undefined, short };
      const made = await api.post('/admin-api/client/pc/device/swap', { body });
      if (!('secret' in made)) return;
      // What is known of the first reading is of the old one.
      await client.resetQueries({ queryKey: firstReadingQuery(deviceName).queryKey });
      keepAdded({ kind: 'device', deviceName, noteName: nameOf(device), secret: made.secret, swapTime: now() });
    },
    meta: { shows: [601], failure: 'device.swap.fail' },
    onSuccess: onSwapped,
    // Also after a failure: if the answer was lost, it may be swapped.
    onSettled: () => {
      for (const queryKey of [detailKey, deviceKeys.all]) void client.invalidateQueries({ queryKey });
    },
  });
  const { error } = swap;
  const text = isNoAnswer(error) ? t('device.swap.lost', { error: errorText(error) }) : formErrorText(error);
  const refusal = fieldRefusal<'serial' | 'note'>(text, {
    serial: t('device.detail.serial'),
    note: t('device.swap.note'),
  });
  return { swap, refusal: refusal && { ...refusal, takenBy: takenBy(error) } };
}
