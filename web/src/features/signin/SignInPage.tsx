import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '@/lib/hooks/useDocumentTitle';
import { consoleSettingsQuery, tenantQuery } from '@/lib/http/queries';
import { useOffline } from '@/lib/offline/reachability';
import { useBranding } from '@/lib/tenant/tenant';
import { useTenantBranding } from '@/lib/tenant/useTenantBranding';
import { BrandLogo } from '@/ui/BrandLogo';
import { LanguageSelect } from '@/ui/LanguageSelect';
import { lazyComponent } from '@/ui/lazyComponent';
import { BrandPanel } from './BrandPanel';
import { EndedNote } from './EndedNote';
import { OfflineNote } from './OfflineNote';
import { signInWaysQuery } from './queries';
import { SignInForm } from './SignInForm';
import css from './SignInPage.module.css';

// Few farms have a sign-in of their own.
const SignOnButton = lazyComponent(() => import('./SignOnButton'), 'SignOnButton');
const SignOnNote = lazyComponent(() => import('./SignOnNote'), 'SignOnNote');

interface SignInPageProps {
  /** The server has ended the previous session. */
  ended: boolean;
  /** Called when the form is submitted. */
  onSubmit: () => void;
  /** Where the user wants to go. */
  from?: string;
  /** Why the farm's own sign-in did not sign the user in. */
  failure?: string;
  /** In place of the form: the farm's own sign-in has brought the user back. */
  children?: ReactNode;
}

export function SignInPage({ ended, onSubmit, from, failure, children }: SignInPageProps) {
  const { t } = useTranslation();
  const { title } = useBranding();
  const offline = useOffline();
  useTenantBranding();
  const tenant = useQuery(tenantQuery());
  const noTenant = (tenant.isError && !offline) || (tenant.isSuccess && tenant.data === null);
  const settings = useQuery({ ...consoleSettingsQuery(), enabled: noTenant });
  const tenantName = tenant.data?.name ?? settings.data?.defaultTenant ?? '';
  const farm = title ?? tenantName;
  const way = useQuery({ ...signInWaysQuery(tenantName), enabled: tenantName !== '' }).data?.oidc;

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
          {failure !== undefined ? <SignOnNote text={failure} /> : ended ? <EndedNote /> : null}
          {offline ? <OfflineNote /> : null}
          <h1 className={css.title}>{t('signin.title')}</h1>
          <p className={css.farm}>{farm}</p>
          {children ?? <SignInForm onSubmit={onSubmit} others={way ? <SignOnButton way={way} from={from} /> : null} />}
        </div>
        <p className={css.foot}>{t('signin.account')}</p>
      </main>
    </div>
  );
}
