import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { deviceKeys } from '@/lib/device/queries';
import { allScenesQuery, sceneKey } from '@/lib/device/scenes';
import { overviewQuery } from '@/lib/http/queries';
import { useForm } from '@/ui/form/useForm';
import { keepAdded } from './added';
import { type AddError, type AddValues, addRefusal, checkAdd, emptyAdd } from './rules';

interface AddFormOptions {
  /** What is preset until the user chooses otherwise. */
  preset: { productId?: number; groupId?: number };
  /** Asks the server to add the device. */
  send: (values: AddValues) => Promise<components['schemas']['NewDeviceData']>;
}

/** The fields of a device to add and what becomes of them: of a new one, and of one with a code. */
export function useAddForm({ preset, send }: AddFormOptions) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [typed, setTyped] = useState(emptyAdd);
  // A scene that takes no devices is not preset.
  const scenes = useQuery(allScenesQuery()).data;
  const usable = scenes?.some(({ id, groupStatus }) => id === preset.groupId && groupStatus !== 2);
  const values: AddValues = {
    ...typed,
    productId: typed.productId ?? preset.productId,
    groupId: typed.groupId ?? (usable ? preset.groupId : 0),
  };

  const create = useMutation({
    // Returns nothing: the secret is kept in a single place, from which the user dismisses it.
    mutationFn: async (wanted: AddValues) => {
      const made = await send(wanted);
      const secret = 'secret' in made ? made.secret : null;
      keepAdded({ kind: 'device', deviceName: made.deviceName, noteName: wanted.noteName.trim(), secret });
    },
    meta: { shows: [601], failure: 'device.add.fail' },
    // Also after a failure: if the answer was lost, the device may be there.
    onSettled: () => {
      for (const queryKey of [deviceKeys.all, sceneKey, overviewQuery().queryKey]) {
        void client.invalidateQueries({ queryKey });
      }
    },
  });
  const form = useForm<AddValues, AddError>({
    values,
    check: checkAdd,
    busy: create.isPending,
    onSubmit: (wanted) => create.mutate(wanted),
  });

  return {
    form,
    values,
    busy: create.isPending,
    refusal: addRefusal(create.error, t),
    /** Whether something would be lost. */
    dirty: (Object.keys(emptyAdd) as (keyof AddValues)[]).some((name) => typed[name] !== emptyAdd[name]),
    change: (part: Partial<AddValues>) => {
      setTyped((before) => ({ ...before, ...part }));
      // What the server said no longer holds once something is changed.
      if (create.isError) create.reset();
    },
    forgetRefusal: create.reset,
    reset: () => {
      setTyped(emptyAdd);
      form.forget();
      create.reset();
    },
  };
}

export type AddForm = ReturnType<typeof useAddForm>;
