const key = (userName: string) => `tilth.terms-read.${userName}`;

/** Notes, per user name, that whoever signs in here has passed the terms of use. */
export function rememberTermsRead(userName: string): void {
  try {
    localStorage.setItem(key(userName), 'true');
  } catch {
    // Storage may be forbidden; the flag is then asked for again.
  }
}
