import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceKeys } from '@/lib/device/queries';
import { sceneKey } from '@/lib/device/scenes';
import { type Device, nameOf } from '@/lib/device/types';
import { toast } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { errorText, formErrorText } from '@/lib/http/errorText';
import { isNoAnswer } from '@/lib/http/http';
import { overviewQuery } from '@/lib/http/queries';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import css from './Removal.module.css';
import { Section } from './Section';

interface RemovalProps {
  device: Device;
  /** The device is gone. */
  onDeleted: () => void;
}

/** Deletes a device that was added in the console, once that is confirmed. */
export function Removal({ device, onDeleted }: RemovalProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [target, setTarget] = useState<Device | null>(null);
  const remove = useMutation({
    mutationFn: ({ deviceName }: Device) => api.del('/admin-api/client/pc/device/delete', { query: { deviceName } }),
    meta: { shows: [601], failure: 'common.deleteFail' },
    onSuccess: (_, deleted) => {
      toast.success(t('device.remove.done', { name: nameOf(deleted) }));
      setTarget(null);
      onDeleted();
    },
    // Also after a failure: without an answer it may be half done, and disabled.
    onSettled: () => {
      for (const queryKey of [deviceKeys.all, sceneKey, overviewQuery().queryKey]) {
        void client.invalidateQueries({ queryKey });
      }
    },
  });
  const { error } = remove;
  return (
    <Section
      title={t('device.remove.title')}
      aside={
        <Button size="small" danger aria-label={t('device.remove.title')} onClick={() => setTarget(device)}>
          {t('common.delete')}
        </Button>
      }
    >
      <p className={css.what}>{t('device.remove.what')}</p>
      <ConfirmDialog
        target={target}
        textFor={(asked) => ({
          question: t('common.deleteConfirm', { name: nameOf(asked) }),
          consequence: t('device.remove.text'),
          verb: t('device.remove.title'),
          danger: true,
        })}
        mutation={remove}
        refusal={isNoAnswer(error) ? t('device.remove.lost', { error: errorText(error) }) : formErrorText(error)}
        onClose={() => setTarget(null)}
        onClosed={() => remove.reset()}
      />
    </Section>
  );
}
