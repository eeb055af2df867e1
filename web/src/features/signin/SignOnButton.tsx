import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { showError } from '@/lib/http/errorText';
import { useOffline } from '@/lib/offline/reachability';
import { canSignOn, startSignOn } from '@/lib/session/signOn';
import { signInWaysQuery } from './queries';
import css from './SignOnButton.module.css';

interface SignOnButtonProps {
  /** Of the tenant to sign in to; empty while it is not known. */
  tenantName: string;
  /** Where the user wants to go. */
  from: string | undefined;
}

/** The way to the farm's own sign-in, if it has one. */
export function SignOnButton({ tenantName, from }: SignOnButtonProps) {
  const { t } = useTranslation();
  const offline = useOffline();
  const [leaving, setLeaving] = useState(false);
  const way = useQuery({ ...signInWaysQuery(tenantName), enabled: tenantName !== '' }).data?.oidc;
  if (!way || !canSignOn()) return null;

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
