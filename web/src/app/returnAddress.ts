export const homePath = '/dashboard-default';

/** Pages that stay open whether a session ends, begins or is renewed. */
export const isPublicPage = (path: string) => path === '/signin' || path === '/invitation';

const placeholderOrigin = 'http://here.invalid';
/**
 * Characters that no address of this site has: browsers drop some of them, and treat others as the
 * end of a line.
 */
const controlCharacters = /[\p{Cc}\u2028\u2029]/u;
/** No legitimate path is encoded more often than this. */
const maxDecodings = 4;

/**
 * The address to return to after signing in; undefined where that is the home page anyway. Only
 * paths of this site: an address in a link must not lead to another site.
 */
export function returnAddress(address: unknown): string | undefined {
  if (typeof address !== 'string' || !/^\/(?![/\\])/.test(address) || controlCharacters.test(address)) return undefined;
  const url = parseUrl(address);
  if (url?.origin !== placeholderOrigin || !isSameSite(url.pathname)) return undefined;
  if (url.pathname === '/signin') return undefined;
  // The home page itself needs no return address; a selection on it does.
  if ((url.pathname === '/' || url.pathname === homePath) && url.search === '') return undefined;
  return url.pathname + url.search + url.hash;
}

/**
 * Whether a path stays on this site under every reading: as it is, after resolving "." and "..",
 * which may leave the two slashes of another site's address, and in every form to which something
 * on its way may decode it.
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

/**
 * Removes one layer of the path's encoding; returns a backslash, which is refused, for an invalid
 * encoding.
 */
function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '\\';
  }
}

export interface SignInSearch {
  /** Where the user wanted to go. */
  from?: string;
  /** The server ended the session, and the page says so. */
  ended?: boolean;
}

export function signInSearch(search: Record<string, unknown>): SignInSearch {
  const from = returnAddress(search.from);
  return { ...(from ? { from } : {}), ...(search.ended === true ? { ended: true } : {}) };
}
