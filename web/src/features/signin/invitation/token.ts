const key = 'tilth.invitation';

/** The token of the invitation that this tab shows, so that the page survives a reload. */
export function storedToken(): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    // Storage may be forbidden; the link then has to be opened again.
    return '';
  }
}

/** Keeps the token for this tab; an empty one removes it. */
export function storeToken(token: string): void {
  try {
    if (token === '') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, token);
  } catch {
    // As in storedToken.
  }
}
