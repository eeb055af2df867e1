const prefix = 'tilth.draft.';
/** Keys that a draft never holds, at any depth. */
const secretKeyPattern = /password|passphrase|secret|token|captcha|code$|^pin$|^otp$/i;

const keyOf = (userId: number, name: string) => `${prefix}${userId}.${name}`;

/** Drafts live as long as the tab. Where storage is forbidden, there are none. */
function storage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

export function readDraft(userId: number, name: string): unknown {
  const text = storage()?.getItem(keyOf(userId, name));
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    // Not written by this store; useless.
    return null;
  }
}

/** Stores a form's values without passwords, codes and secrets. */
export function writeDraft(userId: number, name: string, value: unknown): void {
  const text = JSON.stringify(value, (key, part: unknown) => (secretKeyPattern.test(key) ? undefined : part));
  try {
    storage()?.setItem(keyOf(userId, name), text);
  } catch {
    // Storage is full: an older draft would be offered as if it were the newest.
    removeDraft(userId, name);
  }
}

export function removeDraft(userId: number, name: string): void {
  storage()?.removeItem(keyOf(userId, name));
}

/** Removes every draft of this tab, or all except one user's: another user must not get them. */
export function removeDrafts(exceptUserId?: number): void {
  const store = storage();
  if (!store) return;
  const keptPrefix = exceptUserId === undefined ? null : keyOf(exceptUserId, '');
  const keys = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '');
  for (const key of keys) {
    if (key.startsWith(prefix) && (keptPrefix === null || !key.startsWith(keptPrefix))) store.removeItem(key);
  }
}
