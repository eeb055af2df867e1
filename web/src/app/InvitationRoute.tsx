import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { InvitationPage } from '@/features/signin/invitation/InvitationPage';
import { storedToken, storeToken } from '@/features/signin/invitation/token';
import { prefetchHome } from './prefetchHome';
import { homePath } from './returnAddress';

/**
 * The page of an invitation. The address drops the token once it is read, so that neither the
 * browser's history nor a picture of the screen holds it; a reload finds it in the tab's storage.
 */
export function InvitationRoute() {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const [token, setToken] = useState(hash || storedToken());
  if (hash !== '' && hash !== token) setToken(hash);
  useEffect(() => {
    if (hash === '') return;
    storeToken(hash);
    void navigate({ to: '/invitation', replace: true });
  }, [hash, navigate]);
  const onAccepted = () => {
    storeToken('');
    void navigate({ to: homePath, replace: true });
  };
  // Another link opened in this tab is another invitation, with a form of its own.
  return <InvitationPage key={token} token={token} onSubmit={prefetchHome} onAccepted={onAccepted} />;
}
