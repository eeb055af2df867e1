import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '@/lib/hooks/useDocumentTitle';
import { consoleSettingsQuery, tenantQuery } from '@/lib/http/queries';
import { useOffline } from '@/lib/offline/reachability';
import { useBranding } from '@/lib/tenant/tenant';
import { useTenantBranding } from '@/lib/tenant/useTenantBranding';
import { BrandLogo } from '@/ui/BrandLogo';
import { LanguageSelect } from '@/ui/LanguageSelect';
import { Note } from '@/ui/Note';
import { BrandPanel } from './BrandPanel';
import { EndedNote } from './EndedNote';
import { OfflineNote } from './OfflineNote';
import { SignInForm } from './SignInForm';
import css from './SignInPage.module.css';
import { SignOnButton } from './SignOnButton';

interface SignInPageProps {
  /** The server has ended the previous session. */
  ended: boolean;
  /** Called when the form is submitted. */
  onSubmit: () => void;
  /** Where the user wants to go. */
  from?: string;
  /** The farm's own sign-in has brought the user back, and the session is on its way. */
  finishing?: boolean;
  /** Why the farm's own sign-in did not sign the user in. */
  failure?: string;
}

export function SignInPage({ ended, onSubmit, from, finishing = false, failure }: SignInPageProps) {
  const { t } = useTranslation();
  const { title } = useBranding();
  const offline = useOffline();
  useTenantBranding();
  const tenant = useQuery(tenantQuery());
  const noTenant = (tenant.isError && !offline) || (tenant.isSuccess && tenant.data === null);
  const settings = useQuery({ ...consoleSettingsQuery(), enabled: noTenant });
  const tenantName = tenant.data?.name ?? settings.data?.defaultTenant ?? '';
  const farm = title ?? tenantName;

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
          {ended && failure === undefined ? <EndedNote /> : null}
          {failure === undefined ? null : (
            <div className={css.note}>
              <Note tone="wrong" title={t('signin.oidc.title')}>
                {failure}
              </Note>
            </div>
          )}
          {offline ? <OfflineNote /> : null}
          <h1 className={css.title}>{t('signin.title')}</h1>
          <p className={css.farm}>{farm}</p>
          {finishing ? (
            <p role="status">{t('signin.busy')}</p>
          ) : (
            <SignInForm onSubmit={onSubmit} others={<SignOnButton tenantName={tenantName} from={from} />} />
          )}
        </div>
        <p className={css.foot}>{t('signin.account')}</p>
      </main>
    </div>
  );
}
