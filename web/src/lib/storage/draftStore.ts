const prefix = 'tilth.draft.';
/** What a draft never holds, however deep it stands. */
const secretKeyPattern = /password|passphrase|secret|token|captcha|code$|^pin$|^otp$/i;

const keyOf = (userId: number, name: string) => `${prefix}${userId}.${name}`;

/** Drafts live as long as the tab. Where storage is forbidden there are none. */
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
    // Written by something else than this; of no use.
    return null;
  }
}

/** Keeps a form's values, without those that are nobody's to keep: passwords, codes, secrets. */
export function writeDraft(userId: number, name: string, value: unknown): void {
  const text = JSON.stringify(value, (key, part: unknown) => (secretKeyPattern.test(key) ? undefined : part));
  try {
    storage()?.setItem(keyOf(userId, name), text);
  } catch {
    // A full storage: what was kept before would be offered as if it were the newest.
    removeDraft(userId, name);
  }
}

export function removeDraft(userId: number, name: string): void {
  storage()?.removeItem(keyOf(userId, name));
}

/** Forgets every draft of this tab, or every one but a user's: what one person typed is not for the next. */
export function removeDrafts(exceptUserId?: number): void {
  const store = storage();
  if (!store) return;
  const keptPrefix = exceptUserId === undefined ? null : keyOf(exceptUserId, '');
  const keys = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '');
  for (const key of keys) {
    if (key.startsWith(prefix) && (keptPrefix === null || !key.startsWith(keptPrefix))) store.removeItem(key);
  }
}
