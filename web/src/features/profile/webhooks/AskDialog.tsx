import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/notices';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
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

/** Asks before a webhook is deleted or has a new secret. */
export function AskDialog({ asked, onClose, onGone }: AskDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: async ({ what, webhook: { id, name } }: Asked) => {
      if (what === 'delete') await deleteWebhook(id);
      else keepWebhookSecret({ name, secret: (await newSecret(id)).secret });
    },
    meta: { failure: asked?.what === 'delete' ? 'common.deleteFail' : 'common.saveFail' },
    onSuccess: async (_, { what }) => {
      if (what === 'delete') toast.success(t('webhook.deleted'));
      await client.invalidateQueries({ queryKey: webhooksKey });
      onClose();
    },
  });
  const wordsOf = ({ what, webhook: { name } }: Asked) =>
    what === 'delete'
      ? {
          question: t('common.deleteConfirm', { name }),
          consequence: t('webhook.deleteText'),
          verb: t('webhook.delete'),
          danger: true,
        }
      : {
          question: t('webhook.newSecretConfirm', { name }),
          consequence: t('webhook.newSecretText'),
          verb: t('webhook.newSecretMake'),
          danger: false,
        };
  return <ConfirmDialog asked={asked} wordsOf={wordsOf} act={act} onClose={onClose} onGone={onGone} />;
}
