import { create } from 'zustand';
import type { components } from '@/api/schema.gen';
import { requestHeaders } from '../http/headers';
import { ApiError, send } from '../http/http';
import { removeDrafts } from '../storage/draftStore';

type SessionAnswer = components['schemas']['Session'];

export interface Session {
  accessToken: string;
  refreshToken: string;
  userId: number;
  /**
   * When the access token expires and when to renew it, epoch milliseconds by this machine's clock.
   */
  expiresAt: number;
  renewAt: number;
  /** It began at the farm's own sign-in, which has a session of its own. */
  signOn?: true;
}

/**
 * Why nobody is signed in: `quit` because the user signed out, `lost` because the server ended the
 * session.
 */
export type SessionEnd = 'quit' | 'lost' | null;

interface SessionState {
  session: Session | null;
  ended: SessionEnd;
}

export const storageKey = 'tilth.session';
const lockName = 'tilth.session';
/** A token is renewed this long before it expires, a short-lived one at half its life. */
const renewBefore = 2 * 60_000;
/**
 * The assumed lifetime of a token that seems to have expired before it arrived: the clocks differ
 * by an unknown amount.
 */
const fallbackLifetime = 30 * 60_000;

export const useSession = create<SessionState>(() => ({ session: readStoredSession(), ended: null }));

const renewedListeners = new Set<() => void>();

/**
 * Calls the listener after a refused call made the session renew itself; the router then starts
 * over at `/`. Returns a function that unsubscribes.
 */
export function onRenewedAfterRefusal(listener: () => void): () => void {
  renewedListeners.add(listener);
  return () => renewedListeners.delete(listener);
}

function readStoredSession(): Session | null {
  try {
    return parseSession(localStorage.getItem(storageKey));
  } catch {
    // Storage may be forbidden; the session then lives as long as the page.
    return null;
  }
}

function parseSession(text: string | null): Session | null {
  if (!text) return null;
  try {
    const value = JSON.parse(text) as Partial<Session>;
    const { accessToken, refreshToken, userId, expiresAt, renewAt, signOn } = value;
    if (typeof accessToken !== 'string' || typeof refreshToken !== 'string') return null;
    if (typeof userId !== 'number' || typeof expiresAt !== 'number' || typeof renewAt !== 'number') return null;
    return { accessToken, refreshToken, userId, expiresAt, renewAt, ...(signOn === true ? { signOn } : {}) };
  } catch {
    return null;
  }
}

/**
 * The stored value after the server has ended a session: it tells other tabs that the user did not
 * sign out.
 */
const lostMarker = '{"ended":"lost"}';

function storeSession(session: Session | null, ended: SessionEnd = null): void {
  try {
    if (session) localStorage.setItem(storageKey, JSON.stringify(session));
    else if (ended === 'lost') localStorage.setItem(storageKey, lostMarker);
    else localStorage.removeItem(storageKey);
  } catch {
    // As in stored().
  }
  applySession(session, ended);
}

/** Drafts outlive a lost session. Signing out removes them, and another user never gets them. */
function applySession(session: Session | null, ended: SessionEnd): void {
  if (session) removeDrafts(session.userId);
  else if (ended === 'quit') removeDrafts();
  useSession.setState({ session, ended });
}

/**
 * Stores the answer to a sign-in or a renewal. Lifetimes count from the server's clock, so a wrong
 * clock here does no harm.
 */
export function storeAnswer(answer: SessionAnswer, serverTime = Date.now(), signOn = false): void {
  const left = answer.expiresTime - serverTime;
  const lifetime = left > 0 ? left : fallbackLifetime;
  const expiresAt = Date.now() + lifetime;
  storeSession({
    accessToken: answer.accessToken,
    refreshToken: answer.refreshToken,
    userId: answer.userId,
    expiresAt,
    renewAt: expiresAt - Math.min(renewBefore, lifetime / 2),
    ...(signOn ? { signOn } : {}),
  });
}

/** Another tab signed in, renewed, signed out or lost the session. */
export function applyOtherTabSession(text: string | null): void {
  const session = parseSession(text);
  const had = useSession.getState().session;
  if (session || !had) applySession(session, null);
  else applySession(null, text === lostMarker ? 'lost' : 'quit');
}

/**
 * The browser restored the page from its cache; meanwhile it received no messages from other tabs.
 */
export function reloadStoredSession(): void {
  try {
    applyOtherTabSession(localStorage.getItem(storageKey));
  } catch {
    // As in stored().
  }
}

let inFlight: Promise<boolean> | null = null;

/**
 * Exchanges the refresh token unless the access token is no longer `used`, which means that it was
 * already renewed. One exchange runs at a time in this tab and, through a lock, in all tabs.
 * Rejects when the server does not answer; ends the session when the server refuses. Resolves to
 * whether it exchanged.
 */
export function renew(used: string): Promise<boolean> {
  inFlight ??= withRenewalLock(() => refreshTokens(used)).finally(() => {
    inFlight = null;
  });
  return inFlight;
}

function withRenewalLock(work: () => Promise<boolean>): Promise<boolean> {
  // Web Locks exist only on secure pages; elsewhere the server's 30 s grace for a used token
  // prevents conflicts between tabs.
  return navigator.locks ? navigator.locks.request(lockName, work) : work();
}

async function refreshTokens(used: string): Promise<boolean> {
  const newest = readStoredSession() ?? useSession.getState().session;
  if (!newest) return false;
  if (newest.accessToken !== used) {
    useSession.setState({ session: newest, ended: null });
    return false;
  }
  try {
    const { data, serverTime } = await send({
      method: 'POST',
      path: '/admin-api/system/auth/refresh-token',
      query: { refreshToken: newest.refreshToken },
      headers: requestHeaders(),
    });
    storeAnswer(data as SessionAnswer, serverTime, newest.signOn);
    return true;
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    storeSession(null, 'lost');
    return false;
  }
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof ApiError && error.kind === 'business' && error.code === 401;
}

let announcedToken: string | null = null;

/**
 * Repeats a call once after a 401: `retry` gets the renewed token. Then notifies the listeners of
 * the renewal, once for all calls that waited. Resolves to null when there is no session any more.
 */
export async function retryAfterRenewal<T>(used: string, retry: (token: string) => Promise<T>): Promise<T | null> {
  const exchanged = await renew(used);
  const token = useSession.getState().session?.accessToken ?? null;
  if (!token) return null;
  try {
    return await retry(token);
  } finally {
    if (exchanged && announcedToken !== token) {
      announcedToken = token;
      for (const listener of renewedListeners) listener();
    }
  }
}

/** Makes a call that answers as a sign-in does, and starts the session. Rejects with the server's refusal. */
export async function startSession(path: string, body: object, signOn = false): Promise<void> {
  const { data, serverTime } = await send({ method: 'POST', path, body, headers: requestHeaders() });
  storeAnswer(data as SessionAnswer, serverTime, signOn);
}

/** The token for calls, renewed first when it is about to expire; null when nobody is signed in. */
export async function accessToken(): Promise<string | null> {
  const { session } = useSession.getState();
  if (!session) return null;
  if (session.renewAt > Date.now()) return session.accessToken;
  try {
    await renew(session.accessToken);
  } catch (error) {
    // The renewal failed, but the token is still valid.
    if (session.expiresAt > Date.now()) return session.accessToken;
    throw error;
  }
  return useSession.getState().session?.accessToken ?? null;
}

/**
 * Ends the session here at once. Rejects when the server cannot be told: there the session then
 * expires by itself. A session of the farm's own sign-in ends there, too, if it has an address for
 * that, to which the page then goes.
 */
export async function signOut(): Promise<void> {
  const { session } = useSession.getState();
  storeSession(null, 'quit');
  if (!session) return;
  const { accessToken, signOn } = session;
  const path = signOn ? '/app-api/member/auth/oidc-logout' : '/app-api/member/auth/logout';
  const { data } = await send({ method: 'POST', path, headers: requestHeaders(accessToken) });
  const url = signOn ? (data as components['schemas']['OidcLogout']).url : null;
  if (url) window.location.assign(url);
}
