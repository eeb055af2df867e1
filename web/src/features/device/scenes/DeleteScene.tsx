import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceKeys } from '@/lib/device/queries';
import { type Scene, sceneKey } from '@/lib/device/scenes';
import { toast } from '@/lib/feedback/feedback';
import { useFormat } from '@/lib/format/format';
import { api } from '@/lib/http/api';
import { overviewQuery } from '@/lib/http/queries';
import { Dialog } from '@/ui/Dialog';
import css from './DeleteScene.module.css';

interface DeleteSceneProps {
  scene: Scene | null;
  onClose: () => void;
  onDeleted: (scene: Scene) => void;
}

/** Asks for confirmation and says what becomes of the devices. Cancel is the first button. */
export function DeleteScene({ scene, onClose, onDeleted }: DeleteSceneProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  // The dialog keeps its texts while it closes.
  const [shown, setShown] = useState(scene);
  if (scene && scene !== shown) setShown(scene);

  const remove = useMutation({
    mutationFn: ({ id }: Scene) => api.del('/admin-api/client/pc/group/delete', { query: { id } }),
    meta: { failure: 'common.deleteFail' },
    onSuccess: (_, deleted) => {
      toast.success(t('scene.deleteOk'));
      for (const queryKey of [sceneKey, deviceKeys.all, overviewQuery().queryKey]) {
        void client.invalidateQueries({ queryKey });
      }
      onClose();
      onDeleted(deleted);
    },
  });
  const cancel = () => {
    if (remove.isPending) return;
    toast.info(t('scene.deleteCancelled'));
    onClose();
  };

  const count = shown?.deviceCount ?? 0;
  return (
    <Dialog
      open={scene !== null}
      title={t('scene.deleteConfirm')}
      onClose={cancel}
      width={440}
      footer={
        <>
          <Button onClick={cancel} autoFocus>
            {t('common.cancel')}
          </Button>
          <Button danger loading={remove.isPending} onClick={() => shown && remove.mutate(shown)}>
            {t('scene.delete')}
          </Button>
        </>
      }
    >
      <p className={css.name}>{t('scene.deleteNamed', { name: shown?.groupName ?? '' })}</p>
      <p className={css.text}>{t('scene.deleteText', { count, n: format.number(count) })}</p>
    </Dialog>
  );
}
