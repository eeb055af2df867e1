import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SecretDialog } from '@/ui/SecretDialog';
import { forgetSecret, useFreshSecret } from './freshSecret';

/** A device's new secret, shown only once. */
export function SecretOnce() {
  const { t } = useTranslation();
  const fresh = useFreshSecret((state) => state.fresh);
  // The dialog keeps its texts, and with them the secret, during its closing animation of 0.2
  // seconds.
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
