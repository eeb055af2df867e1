import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SecretDialog } from '@/ui/SecretDialog';
import { forgetWebhookSecret, useFreshWebhookSecret } from './freshSecret';

/** The secret of a new webhook, or a new secret of a webhook, shown only once. */
export function WebhookSecret({ onClosed }: { onClosed: () => void }) {
  const { t } = useTranslation();
  const fresh = useFreshWebhookSecret((state) => state.fresh);
  // The dialog keeps its texts while it closes.
  const [shown, setShown] = useState(fresh);
  if (fresh && fresh !== shown) setShown(fresh);
  return (
    <SecretDialog
      open={fresh !== null}
      title={t('app.secretTitle')}
      ready={t('webhook.secretReady', { name: shown?.name ?? '' })}
      parts={[{ label: t('webhook.secret'), text: shown?.secret ?? '', copy: t('app.copySecret'), main: true }]}
      warning={t('webhook.secretWarn')}
      onStored={forgetWebhookSecret}
      onClosed={() => {
        setShown(null);
        onClosed();
      }}
    />
  );
}
