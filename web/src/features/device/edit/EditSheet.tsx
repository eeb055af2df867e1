import { Button } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { DiscardDialog } from '@/ui/DiscardDialog';
import { DraftBar } from '@/ui/DraftBar';
import { SendButton } from '@/ui/form/SendButton';
import { Sheet } from '@/ui/Sheet';
import { StateChips } from '@/ui/StateChips';
import { EditFields } from './EditFields';
import css from './EditSheet.module.css';
import { useEditForm } from './useEditForm';

interface EditSheetProps {
  device: Device;
  beside: boolean;
  /** Closes the form: leads to the table or back to the device's details. */
  onClose: () => void;
}

/** The form of a device: its remark name, scene and position. */
export function EditSheet({ device, beside, onClose }: EditSheetProps) {
  const { t } = useTranslation();
  const id = useId();
  const { form, values, groupId, draft, save, dirty, change, changeGroup, restore } = useEditForm(device, onClose);
  return (
    <Sheet
      title={t('device.form.title', { name: nameOf(device) })}
      aside={<StateChips device={device} brief />}
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
        {draft.offered ? <DraftBar onRestore={restore} onDiscard={draft.discard} /> : null}
        <EditFields
          device={device}
          form={form}
          values={values}
          groupId={groupId}
          onChange={change}
          onGroup={changeGroup}
        />
      </form>
      <DiscardDialog
        when={dirty}
        isSameForm={({ pathname, search }) => {
          const { device: shown, edit } = search as { device?: string; edit?: true };
          return pathname === '/device' && edit === true && shown === device.deviceName;
        }}
      />
    </Sheet>
  );
}
