import { useCallback, useSyncExternalStore } from 'react';
import { create } from 'zustand';
import { useSession } from '@/lib/session/session';

/** The server sends at most one code a minute per user and per number; so does this. */
export const codeWaitMs = 60_000;
const storageKey = 'tilth.code-wait';

/**
 * When the next code may be sent, epoch milliseconds by this machine's clock, and for which user.
 */
interface CodeWait {
  userId: number;
  until: number;
}

const useCodeWait = create<{ wait: CodeWait | null }>(() => ({ wait: stored() }));

/** Stored for the tab, so that closing the dialog or reloading the page does not reset it. */
function stored(): CodeWait | null {
  try {
    const { userId, until } = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as Partial<CodeWait>;
    return typeof userId === 'number' && typeof until === 'number' ? { userId, until } : null;
  } catch {
    // Storage may be forbidden or contain something else; the server enforces the wait anyway.
    return null;
  }
}

export function startCodeWait(): void {
  const userId = useSession.getState().session?.userId;
  if (userId === undefined) return;
  const wait = { userId, until: Date.now() + codeWaitMs };
  useCodeWait.setState({ wait });
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(wait));
  } catch {
    // As in stored(): the wait then lasts as long as the page.
  }
}

/** Reads the stored wait again, as reloading the page does. */
export function readCodeWait(): void {
  useCodeWait.setState({ wait: stored() });
}

function remainingMs(wait: CodeWait | null, userId: number | undefined, now: number): number {
  if (!wait || wait.userId !== userId) return 0;
  // If the clock was set back, the wait would be longer than a minute: it is ignored.
  const ms = wait.until - now;
  return ms > codeWaitMs ? 0 : Math.max(ms, 0);
}

/**
 * Whole seconds until the signed-in user may request another code, 0 if at once. Updated every
 * second.
 */
export function useCodeWaitSeconds(): number {
  const wait = useCodeWait((state) => state.wait);
  const userId = useSession((state) => state.session?.userId);
  const subscribe = useCallback(
    (changed: () => void) => {
      let timer: ReturnType<typeof setTimeout>;
      const plan = () => {
        const rest = remainingMs(wait, userId, Date.now());
        if (rest === 0) return;
        timer = setTimeout(
          () => {
            changed();
            plan();
          },
          rest % 1000 || 1000,
        );
      };
      plan();
      return () => clearTimeout(timer);
    },
    [wait, userId],
  );
  return useSyncExternalStore(subscribe, () => Math.ceil(remainingMs(wait, userId, Date.now()) / 1000));
}
