import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button, Checkbox } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, nameOf } from '@/lib/device/types';
import { api } from '@/lib/http/api';
import { Dialog } from '@/ui/Dialog';
import { SendButton } from '@/ui/form/SendButton';
import { Note } from '@/ui/Note';
import { connectionQuery } from '../queries';
import { keepSecret } from './freshSecret';
import css from './NewSecret.module.css';
import { ShortSecret } from './ShortSecret';

interface NewSecretProps {
  device: Pick<Device, 'deviceName' | 'noteName'>;
  open: boolean;
  onClose: () => void;
  /** Takes the secret, of which nobody else has a copy; absent: the page shows it once. */
  onMade?: (secret: string) => void;
}

/** Asks for confirmation before a new secret is created, since older ones may stop working. */
export function NewSecret({ device, open, onClose, onMade }: NewSecretProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [drop, setDrop] = useState(false);
  const [short, setShort] = useState(false);
  const { deviceName } = device;
  const make = useMutation({
    // Returns nothing: the secret is kept in a single place, from which the user dismisses it.
    mutationFn: async (chosen: { dropOthers: boolean; short: boolean }) => {
      const secret = await api.post('/admin-api/client/pc/device/new-secret', { body: { deviceName, ...chosen } });
      if (onMade) onMade(secret);
      else keepSecret({ name: nameOf(device), secret });
    },
    meta: { failure: 'device.secret.fail' },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: connectionQuery(deviceName).queryKey });
      onClose();
    },
  });
  return (
    <Dialog
      open={open}
      title={t('device.secret.ask')}
      onClose={onClose}
      onClosed={() => {
        setDrop(false);
        setShort(false);
      }}
      width={460}
      footer={
        <>
          <Button onClick={onClose} autoFocus>
            {t('common.cancel')}
          </Button>
          <SendButton
            htmlType="button"
            loading={make.isPending}
            onClick={() => make.mutate({ dropOthers: drop, short })}
          >
            {t('device.secret.make')}
          </SendButton>
        </>
      }
    >
      <p>{t('device.secret.text')}</p>
      <ShortSecret checked={short} onChange={setShort} />
      <Checkbox className={css.drop} checked={drop} onChange={(event) => setDrop(event.target.checked)}>
        {t('device.secret.drop')}
      </Checkbox>
      {drop ? <Note tone="warn">{t('device.secret.dropText')}</Note> : null}
    </Dialog>
  );
}
