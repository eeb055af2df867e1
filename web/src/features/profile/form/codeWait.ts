import { useCallback, useSyncExternalStore } from 'react';
import { create } from 'zustand';
import { useSession } from '@/lib/session/session';

/** The server sends one code a minute, to a person as to a number; so does this. */
export const codeWaitMs = 60_000;
const storageKey = 'tilth.code-wait';

/** When the next code may be sent, epoch milliseconds by this machine's clock, and to whom that applies. */
interface CodeWait {
  userId: number;
  until: number;
}

const useCodeWait = create<{ wait: CodeWait | null }>(() => ({ wait: stored() }));

/** Kept for the tab, so that neither closing the dialog nor loading the page again forgets it. */
function stored(): CodeWait | null {
  try {
    const { userId, until } = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}') as Partial<CodeWait>;
    return typeof userId === 'number' && typeof until === 'number' ? { userId, until } : null;
  } catch {
    // Storage may be forbidden, and what stands there may not be ours: the server still counts.
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
    // As in stored(): it then lasts as long as the page.
  }
}

/** Reads what is kept anew, as loading the page does. */
export function readCodeWait(): void {
  useCodeWait.setState({ wait: stored() });
}

function remainingMs(wait: CodeWait | null, userId: number | undefined, now: number): number {
  if (!wait || wait.userId !== userId) return 0;
  // A clock that was set back would make people wait for longer than anybody asked.
  const ms = wait.until - now;
  return ms > codeWaitMs ? 0 : Math.max(ms, 0);
}

/** Whole seconds until the signed-in person may have another code, 0 when at once. Changes on the second. */
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
