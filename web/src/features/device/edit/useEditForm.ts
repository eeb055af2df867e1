import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { applyDeviceMove } from '@/lib/device/deviceMove';
import { deviceKeys } from '@/lib/device/queries';
import { sceneKey } from '@/lib/device/scenes';
import type { Device } from '@/lib/device/types';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { overviewQuery } from '@/lib/http/queries';
import { useDraft } from '@/lib/storage/useDraft';
import { useForm } from '@/ui/form/useForm';
import { bodyOf, checkEdit, type EditError, type EditValues, valuesOf } from './rules';

/**
 * Only the fields that the user changed. All others follow the device, even if somebody else
 * changes them meanwhile.
 */
type Typed = Partial<EditValues & { groupId: number }>;

/** The state and the actions of a device's form. */
export function useEditForm(device: Device, onDone: () => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const now = valuesOf(device);
  const [typed, setTyped] = useState<Typed>({});
  const { groupId, ...values } = { ...now, groupId: device.groupId, ...typed };
  const names = Object.keys(now) as (keyof EditValues)[];
  const dirty = groupId !== device.groupId || names.some((name) => values[name].trim() !== now[name]);
  const draft = useDraft<Typed>(`device-${device.deviceName}`, dirty ? typed : null);

  const save = useMutation({
    mutationFn: ({ groupId: group, ...sent }: EditValues & { groupId: number }) =>
      api.put('/admin-api/client/pc/device/update', {
        body: { deviceName: device.deviceName, groupId: group, ...bodyOf(sent) },
      }),
    meta: { failure: 'device.editFail' },
    // If the chosen scene no longer exists, its field says so.
    onError: () => void client.invalidateQueries({ queryKey: sceneKey }),
    onSuccess: async (_, sent) => {
      draft.clear();
      const { latitude, longitude } = bodyOf(sent);
      applyDeviceMove(client, device, {
        deviceName: device.deviceName,
        groupId: sent.groupId,
        latitude: latitude ?? undefined,
        longitude: longitude ?? undefined,
      });
      for (const queryKey of [sceneKey, overviewQuery().queryKey]) void client.invalidateQueries({ queryKey });
      // Refetched before the form closes, so that the closing form does not reveal the old name.
      await client.invalidateQueries({ queryKey: deviceKeys.all });
      toast.success(t('device.form.saved'));
    },
  });
  const form = useForm<EditValues, EditError>({
    values,
    check: checkEdit,
    busy: save.isPending,
    onSubmit: (sent) => save.mutate({ ...sent, groupId }, { onSuccess: onDone }),
  });

  return {
    form,
    values,
    groupId,
    draft,
    save,
    /** Whether there are unsaved changes. */
    dirty: dirty && !save.isPending && !save.isSuccess,
    change: (part: Partial<EditValues>) => {
      const changed = Object.keys(part) as (keyof EditValues)[];
      // A field that reports its old value has not changed.
      if (changed.every((name) => part[name] === values[name])) return;
      const { latitude, longitude } = values;
      // Latitude and longitude are changed together: otherwise half of the position could come from
      // somebody else's change.
      const place = 'latitude' in part || 'longitude' in part ? { latitude, longitude } : {};
      setTyped((before) => ({ ...before, ...place, ...part }));
    },
    changeGroup: (id: number) => setTyped((before) => ({ ...before, groupId: id })),
    restore: () => {
      const taken = draft.take();
      if (taken) setTyped((before) => ({ ...before, ...taken }));
    },
  };
}
