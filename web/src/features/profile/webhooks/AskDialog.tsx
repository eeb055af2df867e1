import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/lib/errorText';
import { toast } from '@/lib/notices';
import { Dialog } from '@/ui/Dialog';
import { Note } from '@/ui/Note';
import { keepWebhookSecret } from './freshSecret';
import { deleteWebhook, newSecret, type Webhook, webhooksKey } from './queries';

/** What is to be done to which webhook, once confirmed. */
export interface Asked {
  what: 'delete' | 'secret';
  webhook: Webhook;
}

interface AskDialogProps {
  asked: Asked | null;
  onClose: () => void;
  /** After it has gone from the screen. */
  onGone: () => void;
}

/** The question, its consequence, Cancel first, then the verb. What fails is said here. */
export function AskDialog({ asked, onClose, onGone }: AskDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  // Its words stay while it closes.
  const [shown, setShown] = useState(asked);
  if (asked && asked !== shown) setShown(asked);

  const act = useMutation({
    mutationFn: async ({ what, webhook: { id, name } }: Asked) => {
      if (what === 'delete') await deleteWebhook(id);
      else keepWebhookSecret({ name, secret: (await newSecret(id)).secret });
    },
    meta: { showsErrors: true },
    onSuccess: async (_, { what }) => {
      if (what === 'delete') toast.success(t('webhook.deleted'));
      await client.invalidateQueries({ queryKey: webhooksKey });
      onClose();
    },
  });
  if (!shown) return null;
  const { what, webhook } = shown;
  const gone = what === 'delete';

  return (
    <Dialog
      open={asked !== null}
      title={t(gone ? 'common.deleteConfirm' : 'webhook.newSecretConfirm', { name: webhook.name })}
      onClose={onClose}
      onClosed={() => {
        act.reset();
        onGone();
      }}
      width={440}
      footer={
        <>
          <Button onClick={onClose} autoFocus>
            {t('common.cancel')}
          </Button>
          <Button
            type={gone ? 'default' : 'primary'}
            danger={gone}
            loading={act.isPending}
            onClick={() => act.mutate(shown)}
          >
            {t(gone ? 'webhook.delete' : 'webhook.newSecretMake')}
          </Button>
        </>
      }
    >
      {act.isError ? (
        <Note tone="wrong" title={t(gone ? 'common.deleteFail' : 'common.saveFail')}>
          {errorText(act.error)}
        </Note>
      ) : null}
      <p>{t(gone ? 'webhook.deleteText' : 'webhook.newSecretText')}</p>
    </Dialog>
  );
}
