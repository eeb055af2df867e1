import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { SignInPage } from '@/features/signin/SignInPage';
import { useSession } from '@/lib/session/session';
import { homePath } from './returnAddress';

/** The shell and the home page are fetched while the server looks at the password. */
function prefetchHome(): void {
  // What fails here is fetched again, and told of, when it is needed.
  Promise.all([import('./shell/Shell'), import('@/features/home/HomePage')]).catch(() => undefined);
}

/** Sign-in, here or in another tab, leads on from this page. */
export function SignInRoute() {
  const { from, ended } = useSearch({ from: '/signin' });
  const navigate = useNavigate();
  const signedIn = useSession((state) => state.session !== null);
  useEffect(() => {
    if (signedIn) void navigate({ href: from ?? homePath, replace: true });
  }, [signedIn, from, navigate]);
  return <SignInPage ended={ended ?? false} onSubmit={prefetchHome} />;
}
