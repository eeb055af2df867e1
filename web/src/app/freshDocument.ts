const mobileUserAgent = /Android|iPhone|iPad|iPod|Mobile/i;
const key = 'tilth.signin-fresh';

/** Loads a page; tests replace it. */
export const pageLoader = { load: (href: string) => window.location.replace(href) };

/**
 * A phone keeps a page for weeks: on a phone, signing in begins with a fresh document. It is loaded
 * once until a user has signed in, so that there is no loop. Resolves if this document may go on;
 * while another one loads, this one must not render any more.
 */
export async function ensureFreshDocument(href: string): Promise<void> {
  if (!mobileUserAgent.test(navigator.userAgent) || !setFreshDocumentMark()) return;
  pageLoader.load(href);
  await new Promise<never>(() => undefined);
}

/**
 * Returns false if the mark is set already, and if it cannot be stored: without it reloading would
 * loop.
 */
function setFreshDocumentMark(): boolean {
  try {
    if (sessionStorage.getItem(key) !== null) return false;
    sessionStorage.setItem(key, 'true');
    return true;
  } catch {
    return false;
  }
}

/** A user has signed in: the next sign-in loads a fresh document again. */
export function clearFreshDocumentMark(): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Where storage is forbidden, there was no mark.
  }
}
