import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '@/lib/hooks/useDocumentTitle';
import { consoleSettingsQuery, tenantQuery } from '@/lib/http/queries';
import { useOffline } from '@/lib/offline/reachability';
import { useBranding } from '@/lib/tenant/tenant';
import { useTenantBranding } from '@/lib/tenant/useTenantBranding';
import { BrandLogo } from '@/ui/BrandLogo';
import { LanguageSelect } from '@/ui/LanguageSelect';
import { BrandPanel } from './BrandPanel';
import { EndedNote } from './EndedNote';
import { OfflineNote } from './OfflineNote';
import { SignInForm } from './SignInForm';
import css from './SignInPage.module.css';

interface SignInPageProps {
  /** The server has ended the previous session. */
  ended: boolean;
  /** Called when the form is submitted. */
  onSubmit: () => void;
}

export function SignInPage({ ended, onSubmit }: SignInPageProps) {
  const { t } = useTranslation();
  const { title } = useBranding();
  const offline = useOffline();
  useTenantBranding();
  const tenant = useQuery(tenantQuery());
  const noTenant = (tenant.isError && !offline) || (tenant.isSuccess && tenant.data === null);
  const settings = useQuery({ ...consoleSettingsQuery(), enabled: noTenant });
  const farm = title ?? tenant.data?.name ?? settings.data?.defaultTenant ?? '';

  useDocumentTitle(t('signin.title'));

  return (
    <div className={css.page}>
      <BrandPanel />
      <main className={css.side}>
        <header className={css.head}>
          <span className={css.logo}>
            <BrandLogo height={26} />
          </span>
          <LanguageSelect />
        </header>
        <div className={css.middle}>
          {ended ? <EndedNote /> : null}
          {offline ? <OfflineNote /> : null}
          <h1 className={css.title}>{t('signin.title')}</h1>
          <p className={css.farm}>{farm}</p>
          <SignInForm onSubmit={onSubmit} />
        </div>
        <p className={css.foot}>{t('signin.account')}</p>
      </main>
    </div>
  );
}
