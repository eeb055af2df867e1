import { useEffect, useRef, useState } from 'react';
import { useSession } from '../session/session';
import { readDraft, removeDraft, writeDraft } from './draftStore';

export interface Draft<T> {
  /**
   * The values that this user left unsaved earlier in this tab, until they are taken or discarded;
   * never secrets.
   */
  offered: Partial<T> | null;
  /** Takes the offered values; the form puts them into its fields. */
  take: () => Partial<T> | null;
  /** Discards the offered values. */
  discard: () => void;
  /** Call once the form was saved or given up. */
  clear: () => void;
}

/**
 * Keeps unsaved form input for as long as the tab lives, so that a session that ends in between
 * costs nothing. `value` is null while nothing is unsaved. Show a DraftBar while something is
 * offered.
 */
export function useDraft<T extends object>(name: string, value: T | null): Draft<T> {
  const signedIn = useSession((state) => state.session?.userId);
  // A form belongs to the user who opened it; another user's input is not part of it, and nothing
  // is kept after its owner has left.
  const [owner] = useState(signedIn);
  const userId = signedIn === owner ? owner : undefined;
  const [offered, setOffered] = useState(() => read<T>(owner, name));
  // The form removes only what it wrote: an offer stays until the user decides.
  const hasWritten = useRef(false);
  const clearedText = useRef<string | null>(null);
  const text = value === null ? null : JSON.stringify(value);

  useEffect(() => {
    // The session ended: keep what was stored until then.
    if (userId === undefined) return;
    if (text === null) {
      clearedText.current = null;
      if (hasWritten.current) removeDraft(userId, name);
      hasWritten.current = false;
    } else if (text !== clearedText.current) {
      writeDraft(userId, name, JSON.parse(text));
      hasWritten.current = true;
    }
  }, [userId, name, text]);

  const forget = () => {
    if (userId !== undefined) removeDraft(userId, name);
    setOffered(null);
  };

  return {
    offered: userId === undefined ? null : offered,
    take: () => {
      forget();
      return offered;
    },
    discard: () => {
      forget();
      // Input typed since then is a new draft, and stays stored.
      if (userId !== undefined && text !== null && text !== clearedText.current)
        writeDraft(userId, name, JSON.parse(text));
    },
    clear: () => {
      forget();
      hasWritten.current = false;
      // The form may still hold the values for a moment; only input from here on is a draft.
      clearedText.current = text;
    },
  };
}

function read<T>(userId: number | undefined, name: string): Partial<T> | null {
  const found = userId === undefined ? null : readDraft(userId, name);
  return typeof found === 'object' && found !== null && Object.keys(found).length > 0 ? (found as Partial<T>) : null;
}
