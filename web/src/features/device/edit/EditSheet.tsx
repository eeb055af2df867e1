import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '@/lib/api';
import { deviceKeys } from '@/lib/device/queries';
import { type Device, nameOf } from '@/lib/device/types';
import { toast } from '@/lib/notices';
import { overviewQuery } from '@/lib/queries';
import { DiscardDialog } from '@/ui/DiscardDialog';
import { SendButton } from '@/ui/form/SendButton';
import { useForm } from '@/ui/form/useForm';
import { Sheet } from '@/ui/Sheet';
import { StateChip } from '../detail/StateChip';
import { sceneKey } from '../queries';
import { degreesText, parseDegrees } from './coordinates';
import { EditFields } from './EditFields';
import css from './EditSheet.module.css';
import { checkEdit, type EditError, type EditValues } from './rules';

interface EditSheetProps {
  device: Device;
  beside: boolean;
  /** Leads away: to the table, or back to the sheet. */
  onClose: () => void;
}

/** The form of a device: its remark name, scene and position. */
export function EditSheet({ device, beside, onClose }: EditSheetProps) {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  // As it was when the form opened: what comes live must not change what somebody is typing.
  const [before] = useState(() => ({
    noteName: device.noteName,
    latitude: degreesText(device.latitude),
    longitude: degreesText(device.longitude),
    groupId: device.groupId,
  }));
  const [values, setValues] = useState<EditValues>(before);
  const [groupId, setGroupId] = useState(before.groupId);
  const dirty =
    groupId !== before.groupId ||
    values.noteName.trim() !== before.noteName ||
    values.latitude.trim() !== before.latitude ||
    values.longitude.trim() !== before.longitude;

  const save = useMutation({
    mutationFn: ({ noteName, latitude, longitude }: EditValues) =>
      api.put('/admin-api/client/pc/device/update', {
        body: {
          deviceName: device.deviceName,
          noteName: noteName.trim(),
          groupId,
          latitude: parseDegrees(latitude) ?? null,
          longitude: parseDegrees(longitude) ?? null,
        },
      }),
    meta: { failure: 'device.editFail' },
    onSuccess: async () => {
      for (const queryKey of [sceneKey, overviewQuery().queryKey]) void client.invalidateQueries({ queryKey });
      // Shown first, so that what closes does not uncover the old name.
      await client.invalidateQueries({ queryKey: deviceKeys.all });
      toast.success(t('device.form.saved'));
    },
  });
  const form = useForm<EditValues, EditError>({
    values,
    check: checkEdit,
    busy: save.isPending,
    onSubmit: (sent) => save.mutate(sent, { onSuccess: onClose }),
  });

  return (
    <Sheet
      title={t('device.form.title', { name: nameOf(device) })}
      aside={<StateChip device={device} />}
      beside={beside}
      onClose={onClose}
      footer={
        <>
          <span className={css.shown}>{t('device.form.shown')}</span>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <SendButton form={id} loading={save.isPending} className={css.save}>
            {t('common.save')}
          </SendButton>
        </>
      }
    >
      <form id={id} onSubmit={form.submit} noValidate>
        <EditFields
          device={device}
          form={form}
          values={values}
          groupId={groupId}
          onChange={(part) => setValues((now) => ({ ...now, ...part }))}
          onGroup={setGroupId}
        />
      </form>
      <DiscardDialog
        when={dirty && !save.isPending && !save.isSuccess}
        stays={({ pathname, search }) => {
          const { device: shown, edit } = search as { device?: string; edit?: true };
          return pathname === '/device' && edit === true && shown === device.deviceName;
        }}
      />
    </Sheet>
  );
}
