import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { SignInPage } from '@/features/signin/SignInPage';
import { loadTexts } from '@/lib/i18n/i18n';
import { useSession } from '@/lib/session/session';
import { homePath } from './returnAddress';

/** Loads the code and the texts of the shell and the home page while the server checks the password. */
function prefetchHome(): void {
  // A failure here is not reported: the code is fetched again when it is needed.
  Promise.all([import('./shell/Shell'), import('@/features/home/HomePage'), loadTexts('home')]).catch(() => undefined);
}

/** Shows the sign-in page until there is a session, from this tab or another; then leaves it. */
export function SignInRoute() {
  const { from, ended } = useSearch({ from: '/signin' });
  const navigate = useNavigate();
  const signedIn = useSession((state) => state.session !== null);
  useEffect(() => {
    if (signedIn) void navigate({ href: from ?? homePath, replace: true });
  }, [signedIn, from, navigate]);
  return <SignInPage ended={ended ?? false} onSubmit={prefetchHome} />;
}
