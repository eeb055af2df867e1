const mobileUserAgent = /Android|iPhone|iPad|iPod|Mobile/i;
const key = 'tilth.signin-fresh';

/** The browser's own way of loading a page; tests put another here. */
export const pageLoader = { load: (href: string) => window.location.replace(href) };

/**
 * A phone keeps a page for weeks: signing in there begins with a document loaded anew. Once until somebody has signed in, so it never
 * goes round. Resolves where this document may go on; where another is on its way nothing more is to be drawn in this one.
 */
export async function ensureFreshDocument(href: string): Promise<void> {
  if (!mobileUserAgent.test(navigator.userAgent) || !setFreshDocumentMark()) return;
  pageLoader.load(href);
  await new Promise<never>(() => undefined);
}

/** False where the mark stands already, and where none can be made: without it loading anew would have no end. */
function setFreshDocumentMark(): boolean {
  try {
    if (sessionStorage.getItem(key) !== null) return false;
    sessionStorage.setItem(key, 'true');
    return true;
  } catch {
    return false;
  }
}

/** Somebody has signed in: the next sign-in begins anew. */
export function clearFreshDocumentMark(): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Where storage is forbidden there was no mark.
  }
}
