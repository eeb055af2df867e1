import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SecretDialog } from '@/ui/SecretDialog';
import { forgetSecret, useFreshSecret } from './freshSecret';

/** A device's new secret, shown this once. */
export function SecretOnce() {
  const { t } = useTranslation();
  const fresh = useFreshSecret((state) => state.fresh);
  // Its words stay while it closes; the secret's with them, for a fifth of a second.
  const [shown, setShown] = useState(fresh);
  if (fresh && fresh !== shown) setShown(fresh);
  return (
    <SecretDialog
      open={fresh !== null}
      title={t('device.secret.title')}
      ready={t('device.secret.ready', { name: shown?.name ?? '' })}
      parts={[
        { label: t('device.secret.secret'), text: shown?.secret ?? '', copy: t('device.secret.copy'), main: true },
      ]}
      warning={t('device.secret.warning')}
      onStored={forgetSecret}
      onClosed={() => setShown(null)}
    />
  );
}
