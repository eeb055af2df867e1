export const home = '/dashboard-default';

/**
 * The address to come back to after signing in, undefined where that is the home page anyhow. Only paths of this site: an address
 * in a link must not lead people elsewhere.
 */
export function returnAddress(address: unknown): string | undefined {
  if (typeof address !== 'string' || !/^\/(?![/\\])/.test(address)) return undefined;
  const url = new URL(address, 'http://here.invalid');
  if (url.host !== 'here.invalid') return undefined;
  if (url.pathname === '/signin') return undefined;
  // The home page of itself needs no remembering; what was chosen on it does.
  if ((url.pathname === '/' || url.pathname === home) && url.search === '') return undefined;
  return url.pathname + url.search + url.hash;
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
