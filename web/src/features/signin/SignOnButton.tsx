import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { showError } from '@/lib/http/errorText';
import { useOffline } from '@/lib/offline/reachability';
import { canSignOn, startSignOn } from '@/lib/session/signOn';
import css from './SignOnButton.module.css';

interface SignOnButtonProps {
  way: components['schemas']['OidcWay'];
  /** Where the user wants to go. */
  from: string | undefined;
}

/** The way to the farm's own sign-in. */
export function SignOnButton({ way, from }: SignOnButtonProps) {
  const { t } = useTranslation();
  const offline = useOffline();
  const [leaving, setLeaving] = useState(false);
  if (!canSignOn()) return null;

  const leave = () => {
    if (leaving || offline) return;
    setLeaving(true);
    startSignOn(way.startUrl, from).catch((error: unknown) => {
      setLeaving(false);
      showError(error, { failure: 'signin.fail', tone: 'warning' });
    });
  };

  return (
    <>
      <p className={css.or}>{t('signin.or')}</p>
      <button type="button" className={css.button} aria-disabled={leaving || offline} onClick={leave}>
        {t('signin.with', { name: way.name })}
      </button>
    </>
  );
}
