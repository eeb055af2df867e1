import { useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Input, type InputRef } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceKeys } from '@/lib/device/queries';
import { type Scene, sceneKey } from '@/lib/device/scenes';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { overviewQuery } from '@/lib/http/queries';
import { Dialog } from '@/ui/Dialog';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { useForm } from '@/ui/form/useForm';
import { checkScene, maxNameLength, type SceneError, type SceneValues } from './rules';
import { StatusChoice } from './StatusChoice';

/** The scene that is edited, or a new one. */
export type Edited = Scene | 'new';

interface SceneDialogProps {
  edited: Edited | null;
  onClose: () => void;
  /** Called with the id of the new scene. */
  onAdded: (id: number) => void;
}

/** Edits a scene's name and whether it accepts devices. */
export function SceneDialog({ edited, onClose, onAdded }: SceneDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  // The dialog keeps its texts while it closes.
  const [shown, setShown] = useState(edited);
  if (edited && edited !== shown) setShown(edited);
  return (
    <Dialog
      open={edited !== null}
      title={t(shown === 'new' ? 'scene.new' : 'scene.edit')}
      onClose={onClose}
      width={440}
      footer={shown ? <Footer formId={id} isNew={shown === 'new'} onClose={onClose} /> : null}
    >
      {shown ? (
        <SceneForm key={shown === 'new' ? 0 : shown.id} id={id} edited={shown} onClose={onClose} onAdded={onAdded} />
      ) : null}
    </Dialog>
  );
}

const savingKey = ['scene', 'save'];

function Footer({ formId, isNew, onClose }: { formId: string; isNew: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const busy = useIsMutating({ mutationKey: savingKey }) > 0;
  return (
    <>
      <Button onClick={onClose}>{t('common.cancel')}</Button>
      <SendButton form={formId} loading={busy}>
        {t(isNew ? 'scene.create' : 'common.save')}
      </SendButton>
    </>
  );
}

interface SceneFormProps {
  id: string;
  edited: Edited;
  onClose: () => void;
  onAdded: (id: number) => void;
}

function SceneForm({ id, edited, onClose, onAdded }: SceneFormProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const isNew = edited === 'new';
  const [name, setName] = useState(isNew ? '' : edited.groupName);
  const [status, setStatus] = useState<SceneValues['status']>(isNew ? null : edited.groupStatus);

  const save = useMutation({
    mutationKey: savingKey,
    mutationFn: async (body: { groupName: string; groupStatus: number }) => {
      if (isNew) return api.post('/admin-api/client/pc/group/create', { body });
      await api.put('/admin-api/client/pc/group/update', { body: { id: edited.id, ...body } });
      return edited.id;
    },
    meta: { failure: isNew ? 'scene.addFail' : 'common.saveFail' },
    onSuccess: (made) => {
      toast.success(t(isNew ? 'scene.added' : 'scene.saved'));
      // The scene's name is part of every device and of the counts.
      for (const queryKey of [sceneKey, deviceKeys.all, overviewQuery().queryKey]) {
        void client.invalidateQueries({ queryKey });
      }
      onClose();
      if (isNew) onAdded(made);
    },
  });

  const form = useForm<SceneValues, SceneError>({
    values: { name, status },
    check: checkScene,
    busy: save.isPending,
    onSubmit: (values) => save.mutate({ groupName: values.name.trim(), groupStatus: values.status ?? 1 }),
  });
  const nameField = form.field('name');
  const statusField = form.field('status');
  return (
    <form id={id} onSubmit={form.submit} noValidate>
      <Field
        label={t('scene.name')}
        required
        error={nameField.error && t(nameField.error, { most: maxNameLength })}
        // The line below the field is always there, so that the buttons do not move when the field
        // loses the focus.
        hint={t('device.form.characters', { n: [...name.trim()].length, most: maxNameLength })}
      >
        {(labels) => (
          <Input
            {...labels}
            ref={nameField.ref as (input: InputRef | null) => void}
            autoFocus
            value={name}
            onChange={(event) => setName(event.target.value)}
            // The specification requires the error as soon as the user leaves the field, even if
            // nothing was typed.
            onBlur={() => nameField.leave()}
            autoComplete="off"
          />
        )}
      </Field>
      <StatusChoice
        value={status}
        onChange={setStatus}
        inputRef={statusField.ref}
        error={statusField.error && t(statusField.error)}
      />
    </form>
  );
}
