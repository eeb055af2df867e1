export const homePath = '/dashboard-default';

const placeholderOrigin = 'http://here.invalid';
/** What no address of this site has: browsers drop some of these, and take others for the end of a line. */
const controlCharacters = /[\p{Cc}\u2028\u2029]/u;
/** A path that is encoded more often than this is nobody's. */
const maxDecodings = 4;

/**
 * The address to come back to after signing in, undefined where that is the home page anyhow. Only paths of this site: an address
 * in a link must not lead people elsewhere.
 */
export function returnAddress(address: unknown): string | undefined {
  if (typeof address !== 'string' || !/^\/(?![/\\])/.test(address) || controlCharacters.test(address)) return undefined;
  const url = parseUrl(address);
  if (url?.origin !== placeholderOrigin || !isSameSite(url.pathname)) return undefined;
  if (url.pathname === '/signin') return undefined;
  // The home page of itself needs no remembering; what was chosen on it does.
  if ((url.pathname === '/' || url.pathname === homePath) && url.search === '') return undefined;
  return url.pathname + url.search + url.hash;
}

/**
 * Whether a path names a place of this site however it is read: as it is, which after "." and ".." may begin with the two slashes of
 * another site's address, and in whatever form somebody on its way decodes it to.
 */
function isSameSite(path: string): boolean {
  let form = path;
  for (let times = 0; times <= maxDecodings; times++) {
    const url = parseUrl(form);
    if (url?.origin !== placeholderOrigin || form.startsWith('//') || url.pathname.startsWith('//')) return false;
    if (controlCharacters.test(form) || form.includes('\\')) return false;
    const next = decodeOnce(form);
    if (next === form) return true;
    form = next;
  }
  return false;
}

function parseUrl(address: string): URL | null {
  try {
    return new URL(address, placeholderOrigin);
  } catch {
    return null;
  }
}

/** A path without one layer of its encoding; a backslash, which leads nowhere, for what is encoded wrongly. */
function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '\\';
  }
}

export interface SignInSearch {
  /** Where the person wanted to go. */
  from?: string;
  /** The server ended the session, and the page says so. */
  ended?: boolean;
}

export function signInSearch(search: Record<string, unknown>): SignInSearch {
  const from = returnAddress(search.from);
  return { ...(from ? { from } : {}), ...(search.ended === true ? { ended: true } : {}) };
}
