import { useEffect, useRef, useState } from 'react';
import { useSession } from '../session/session';
import { readDraft, removeDraft, writeDraft } from './draftStore';

export interface Draft<T> {
  /** What this user left unsaved earlier in this tab, until it is taken or discarded; secrets are never in it. */
  offered: Partial<T> | null;
  /** Takes what is offered; the form puts it into its fields. */
  take: () => Partial<T> | null;
  /** Throws away what is offered. */
  discard: () => void;
  /** Call once the form was saved or given up. */
  clear: () => void;
}

/**
 * Keeps what a person typed into a form for as long as the tab lives, so that a session that ended in the middle costs nothing. `value`
 * is null while there is nothing unsaved. Show a DraftBar while something is offered.
 */
export function useDraft<T extends object>(name: string, value: T | null): Draft<T> {
  const signedIn = useSession((state) => state.session?.userId);
  // A form belongs to whoever opened it; what is typed is nobody else's, nor kept once they are gone.
  const [owner] = useState(signedIn);
  const userId = signedIn === owner ? owner : undefined;
  const [offered, setOffered] = useState(() => read<T>(owner, name));
  // Only what this form wrote is its own to remove: what is offered stays until somebody decides.
  const hasWritten = useRef(false);
  const clearedText = useRef<string | null>(null);
  const text = value === null ? null : JSON.stringify(value);

  useEffect(() => {
    // The session has ended in the middle: what was kept until then is what is to be found again.
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
      // What was typed since is another matter, and stays kept.
      if (userId !== undefined && text !== null && text !== clearedText.current)
        writeDraft(userId, name, JSON.parse(text));
    },
    clear: () => {
      forget();
      hasWritten.current = false;
      // The form may still hold the values for a moment; only what is typed from here on is a draft.
      clearedText.current = text;
    },
  };
}

function read<T>(userId: number | undefined, name: string): Partial<T> | null {
  const found = userId === undefined ? null : readDraft(userId, name);
  return typeof found === 'object' && found !== null && Object.keys(found).length > 0 ? (found as Partial<T>) : null;
}
