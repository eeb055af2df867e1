import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SecretDialog as Once } from '@/ui/SecretDialog';
import { forgetSecret, useFreshSecret } from './freshSecret';

/** A new key with its secret, shown only once. */
export function SecretDialog({ onClosed }: { onClosed: () => void }) {
  const { t } = useTranslation();
  const fresh = useFreshSecret((state) => state.fresh);
  // The dialog keeps its texts, and with them the secret, during its closing animation of 0.2
  // seconds.
  const [shown, setShown] = useState(fresh);
  if (fresh && fresh !== shown) setShown(fresh);
  return (
    <Once
      open={fresh !== null}
      title={t('app.secretTitle')}
      ready={t('app.secretReady', { name: shown?.name ?? '' })}
      parts={[
        { label: t('app.key'), text: shown?.appKey ?? '', copy: t('app.copyKey') },
        { label: t('app.secret'), text: shown?.appSecret ?? '', copy: t('app.copySecret'), main: true },
      ]}
      warning={t('app.secretWarn')}
      onStored={forgetSecret}
      onClosed={() => {
        setShown(null);
        onClosed();
      }}
    />
  );
}
