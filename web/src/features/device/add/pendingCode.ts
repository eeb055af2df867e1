const key = 'tilth.claim';

/**
 * The code of a label's address that was opened in this tab. It waits there until the user has signed
 * in, and is in no address meanwhile: addresses are logged and kept in histories.
 */
export function takePendingCode(): string {
  try {
    const code = sessionStorage.getItem(key) ?? '';
    sessionStorage.removeItem(key);
    return code;
  } catch {
    // Storage may be forbidden; the code then has to be typed.
    return '';
  }
}

export function keepPendingCode(code: string): void {
  try {
    sessionStorage.setItem(key, code);
  } catch {
    // As in takePendingCode.
  }
}
