import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '@/lib/hooks/useDocumentTitle';
import { errorText, formErrorText } from '@/lib/http/errorText';
import { useSession } from '@/lib/session/session';
import { useTenantBranding } from '@/lib/tenant/useTenantBranding';
import { BrandLogo } from '@/ui/BrandLogo';
import { ErrorNote } from '@/ui/ErrorNote';
import button from '@/ui/form/submit.module.css';
import { LanguageSelect } from '@/ui/LanguageSelect';
import { Note } from '@/ui/Note';
import { Loading, Skeleton } from '@/ui/Skeleton';
import { BrandPanel } from '../BrandPanel';
import page from '../SignInPage.module.css';
import { AcceptForm } from './AcceptForm';
import css from './InvitationPage.module.css';
import { OfferFacts } from './OfferFacts';
import { offerQuery } from './queries';

interface InvitationPageProps {
  /** Of the link; empty if it had none. */
  token: string;
  /** Called when the form is submitted. */
  onSubmit: () => void;
  /** The account exists, and its session is here. */
  onAccepted: () => void;
}

/** What an invitation offers, and the form that accepts it. Open to everybody who has its link. */
export function InvitationPage({ token, onSubmit, onAccepted }: InvitationPageProps) {
  const { t } = useTranslation();
  useTenantBranding();
  useDocumentTitle(t('invitation.title'));
  return (
    <div className={page.page}>
      <BrandPanel />
      <main className={page.side}>
        <header className={page.head}>
          <span className={page.logo}>
            <BrandLogo height={26} />
          </span>
          <LanguageSelect />
        </header>
        <div className={`${page.middle} ${css.middle}`}>
          {token === '' ? (
            <Dead text={t('invitation.noToken')} />
          ) : (
            <Offered token={token} onSubmit={onSubmit} onAccepted={onAccepted} />
          )}
        </div>
      </main>
    </div>
  );
}

function Offered({ token, onSubmit, onAccepted }: InvitationPageProps) {
  const { t } = useTranslation();
  const { data: offer, ...query } = useQuery(offerQuery(token));
  const signedIn = useSession((state) => state.session !== null);
  const refusal = formErrorText(query.error);
  if (refusal !== undefined) return <Dead text={refusal} />;
  return (
    <>
      <h1 className={page.title}>{t('invitation.heading')}</h1>
      {query.isError && !offer ? (
        <div className={css.part}>
          <ErrorNote
            title={t('invitation.loadFail')}
            text={errorText(query.error)}
            onRetry={() => query.refetch()}
            busy={query.isFetching}
          />
        </div>
      ) : null}
      {query.isPending ? <Waiting /> : null}
      {offer ? (
        <>
          <p className={page.farm}>{offer.tenantName}</p>
          <OfferFacts offer={offer} />
          {signedIn ? (
            <div className={css.note}>
              <Note tone="info" title={t('invitation.signedIn')}>
                {t('invitation.signedInText')}
              </Note>
            </div>
          ) : null}
          <AcceptForm token={token} offer={offer} onSubmit={onSubmit} onAccepted={onAccepted} />
        </>
      ) : null}
    </>
  );
}

/** The link does not hold any more, for whatever reason. */
function Dead({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <>
      <h1 className={page.title}>{t('invitation.deadTitle')}</h1>
      <p className={css.dead}>{text}</p>
      <Link to="/signin" className={`${button.submit} ${css.link}`}>
        {t('invitation.toSignIn')}
      </Link>
    </>
  );
}

function Waiting() {
  return (
    <Loading>
      <div className={css.waiting}>
        <Skeleton height={20} />
        <Skeleton height={96} radius={8} />
        <Skeleton height={44} radius={8} />
        <Skeleton height={44} radius={8} />
      </div>
    </Loading>
  );
}
