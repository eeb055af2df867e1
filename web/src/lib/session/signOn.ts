import { requestHeaders } from '../http/headers';
import { send } from '../http/http';
import { accessToken } from './session';
import { openSignOnSession } from './signIn';

/**
 * Signing in at the farm's own sign-in. A random secret stays in this tab while the user is there;
 * the server learns its SHA-256 at the beginning and the secret at the end, so that nobody else can
 * use what comes back.
 */

const storageKey = 'tilth.sign-on';

/** What this tab keeps while the user is away. */
interface Begun {
  secret: string;
  /** Where the user wanted to go. */
  from?: string;
}

/** Digests need a secure page: https, or this machine. */
export const canSignOn = () => globalThis.crypto?.subtle !== undefined;

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** Keeps a new secret in this tab, and resolves to its SHA-256. */
async function begin(from: string | undefined): Promise<string> {
  const secret = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const begun: Begun = { secret, ...(from ? { from } : {}) };
  sessionStorage.setItem(storageKey, JSON.stringify(begun));
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))));
}

/** What this tab keeps of a sign-in that began here, which is then over; null: none began. */
export function takeBegun(): Begun | null {
  try {
    const text = sessionStorage.getItem(storageKey);
    sessionStorage.removeItem(storageKey);
    const value = JSON.parse(text ?? 'null') as Partial<Begun> | null;
    if (typeof value?.secret !== 'string') return null;
    return { secret: value.secret, ...(typeof value.from === 'string' ? { from: value.from } : {}) };
  } catch {
    // Storage may be forbidden; the sign-in then has to begin again.
    return null;
  }
}

/** Leads to the farm's own sign-in, which comes back to the sign-in page. */
export async function startSignOn(startUrl: string, from: string | undefined): Promise<void> {
  const start = new URL(startUrl, window.location.href);
  if (start.origin !== window.location.origin) {
    // It comes back to that host, where this tab's secret is not known: the user begins there.
    window.location.assign(`${start.origin}/signin`);
    return;
  }
  start.searchParams.set('binding', await begin(from));
  if (from) start.searchParams.set('return', from);
  window.location.assign(start.href);
}

/** Exchanges what came back for a session. Rejects with the server's refusal. */
export const finishSignOn = (ticket: string, secret: string) => openSignOnSession({ ticket, binding: secret });

/** Leads to the farm's own sign-in to link the signed-in user's account there, and back to a page. */
export async function linkSignOn(from: string): Promise<void> {
  const binding = await begin(from);
  const { data } = await send({
    method: 'POST',
    path: '/app-api/member/user/oidc/link',
    body: { binding, return: from },
    headers: requestHeaders(await accessToken()),
  });
  window.location.assign((data as { url: string }).url);
}
