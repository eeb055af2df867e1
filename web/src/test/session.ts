import { type Session, storageKey, useSession } from '@/lib/session/session';

/** Signs a user in; the token is far from expiry unless given otherwise. */
export function signedIn(change: Partial<Session> = {}): Session {
  const now = Date.now();
  const session: Session = {
    accessToken: 'access-1',
    refreshToken: 'refresh-1',
    userId: 7,
    expiresAt: now + 30 * 60_000,
    renewAt: now + 28 * 60_000,
    ...change,
  };
  localStorage.setItem(storageKey, JSON.stringify(session));
  useSession.setState({ session, ended: null });
  return session;
}

/** The server's answer to a sign-in or a renewal. */
export const tokens = (name: string, lifetime = 30 * 60_000) => ({
  accessToken: `access-${name}`,
  refreshToken: `refresh-${name}`,
  userId: 7,
  expiresTime: Date.now() + lifetime,
});
