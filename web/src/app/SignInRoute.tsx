import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { SignInPage } from '@/features/signin/SignInPage';
import { useSession } from '@/lib/session/session';
import { prefetchHome } from './prefetchHome';
import { homePath } from './returnAddress';

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
