const key = (userName: string) => `tilth.terms-read.${userName}`;

/** Records, per user name, that the user has seen the terms of use by signing in here. */
export function rememberTermsRead(userName: string): void {
  try {
    localStorage.setItem(key(userName), 'true');
  } catch {
    // Storage may be forbidden; the flag is then requested again.
  }
}
