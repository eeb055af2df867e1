import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '@/lib/http/api';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { type Credential, credentialKey } from './queries';

/** The action on a key that is performed once it is confirmed. */
export interface CredentialAction {
  what: 'toggle' | 'delete';
  credential: Credential;
}

interface CredentialConfirmDialogProps {
  action: CredentialAction | null;
  onClose: () => void;
  /** Called when the closing animation has ended. */
  onClosed: () => void;
}

/** Asks for confirmation before a key is opened, closed or deleted. */
export function CredentialConfirmDialog({ action, onClose, onClosed }: CredentialConfirmDialogProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: ({ what, credential: { id, enabled } }: CredentialAction) =>
      what === 'delete'
        ? api.get('/admin-api/client/pc/apicredentials/delete', { query: { id } })
        : // Sets the state that was confirmed instead of toggling it: a key that is closed twice stays closed.
          api.get('/admin-api/client/pc/apicredentials/enable-or-disable', {
            query: { id, enabled: enabled === 1 ? 0 : 1 },
          }),
    meta: { failure: action?.what === 'delete' ? 'common.deleteFail' : 'common.saveFail' },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: credentialKey });
      onClose();
    },
  });
  const wordsOf = ({ what, credential: { name, enabled } }: CredentialAction) =>
    what === 'delete'
      ? {
          question: t('common.deleteConfirm', { name }),
          consequence: t('app.deleteText'),
          verb: t('app.deleteKey'),
          danger: true,
        }
      : {
          question: t('common.toggleConfirm', { name }),
          consequence: t(enabled === 1 ? 'app.closeText' : 'app.openText'),
          verb: t(enabled === 1 ? 'app.closeKey' : 'app.openKey'),
          danger: false,
        };
  return <ConfirmDialog target={action} textFor={wordsOf} mutation={act} onClose={onClose} onClosed={onClosed} />;
}
