import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { keepWebhookSecret } from './freshSecret';
import { deleteWebhook, newSecret, type Webhook, webhooksKey } from './queries';

/** The action on a webhook that is performed once it is confirmed. */
export interface WebhookAction {
  what: 'delete' | 'secret';
  webhook: Webhook;
}

interface WebhookConfirmDialogProps {
  action: WebhookAction | null;
  onClose: () => void;
  /** Called when the closing animation has ended. */
  onClosed: () => void;
}

/** Asks for confirmation before a webhook is deleted or gets a new secret. */
export function WebhookConfirmDialog({ action, onClose, onClosed }: WebhookConfirmDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: async ({ what, webhook: { id, name } }: WebhookAction) => {
      if (what === 'delete') await deleteWebhook(id);
      else keepWebhookSecret({ name, secret: (await newSecret(id)).secret });
    },
    meta: { failure: action?.what === 'delete' ? 'common.deleteFail' : 'common.saveFail' },
    onSuccess: async (_, { what }) => {
      if (what === 'delete') toast.success(t('webhook.deleted'));
      await client.invalidateQueries({ queryKey: webhooksKey });
      onClose();
    },
  });
  const wordsOf = ({ what, webhook: { name } }: WebhookAction) =>
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
  return <ConfirmDialog target={action} textFor={wordsOf} mutation={act} onClose={onClose} onClosed={onClosed} />;
}
