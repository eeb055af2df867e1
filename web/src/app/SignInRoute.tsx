import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SignInPage } from '@/features/signin/SignInPage';
import type { SignOnOutcome } from '@/features/signin/SignOnReturn';
import { readAnswer } from '@/features/signin/signOnAnswer';
import { toast } from '@/lib/feedback/feedback';
import { useSession } from '@/lib/session/session';
import { lazyComponent } from '@/ui/lazyComponent';
import { prefetchHome } from './prefetchHome';
import { homePath, returnAddress } from './returnAddress';

const SignOnReturn = lazyComponent(() => import('@/features/signin/SignOnReturn'), 'SignOnReturn');

/**
 * Shows the sign-in page until there is a session, from this tab or another; then leaves it. The
 * farm's own sign-in leads here, too, with its answer behind the #, which the address drops once it
 * is taken.
 */
export function SignInRoute() {
  const { t } = useTranslation();
  const { from, ended } = useSearch({ from: '/signin' });
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const signedIn = useSession((state) => state.session !== null);
  const [answer] = useState(() => readAnswer(hash));
  // Null while the answer is being taken.
  const [outcome, setOutcome] = useState<SignOnOutcome | null>(answer ? null : {});
  const failure = outcome?.failure;
  const back = answer && 'ticket' in answer ? returnAddress(answer.back) : undefined;
  const target = from ?? back ?? returnAddress(outcome?.from);
  useEffect(() => {
    if (outcome === null) return;
    if (signedIn) {
      // Somebody who is signed in came back from linking an account.
      if (failure !== undefined) toast.warning(t('signin.linkFail'), failure);
      void navigate({ href: target ?? homePath, replace: true });
    } else if (hash !== '') {
      void navigate({ to: '/signin', search: { from, ended }, replace: true });
    }
  }, [outcome, signedIn, failure, target, hash, from, ended, navigate, t]);
  return (
    <SignInPage ended={ended ?? false} onSubmit={prefetchHome} from={target} failure={failure}>
      {answer && outcome === null ? <SignOnReturn answer={answer} onDone={setOutcome} /> : undefined}
    </SignInPage>
  );
}
