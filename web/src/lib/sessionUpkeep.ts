import { renew, storageKey, takeOver, takeOverKept, useSession } from './session';

/** How long to wait before another try when the server could not be asked. */
const retryAfter = 15_000;
/** setTimeout overflows beyond 2^31 ms; a longer wait is taken in parts. */
const longestWait = 2 ** 31 - 1;

/**
 * Keeps the session alive while the page is open: renews it in time, on waking and on coming back online, and
 * follows what other tabs do. Returns how to stop.
 */
export function keepSession(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;

  const plan = (earliest = 0) => {
    clearTimeout(timer);
    const { session } = useSession.getState();
    if (!session) return;
    timer = setTimeout(check, Math.min(Math.max(session.renewAt - Date.now(), earliest), longestWait));
  };

  const check = () => {
    const { session } = useSession.getState();
    if (!session) return;
    if (session.renewAt > Date.now()) return plan();
    // Not told to anybody: the next call will say it if the server still cannot be reached.
    renew(session.accessToken).then(
      () => plan(retryAfter),
      () => plan(retryAfter),
    );
  };

  const onVisible = () => {
    if (document.visibilityState === 'visible') check();
  };
  const onStorage = (event: StorageEvent) => {
    // A null key means that the whole storage was cleared.
    if (event.key === storageKey || event.key === null) takeOver(event.newValue);
  };
  // Going back may bring a page as it was left, of somebody who has quit since.
  const onShow = (event: PageTransitionEvent) => {
    if (event.persisted) takeOverKept();
  };

  const unsubscribe = useSession.subscribe((state, before) => {
    if (state.session !== before.session) plan();
  });
  document.addEventListener('visibilitychange', onVisible);
  window.addEventListener('online', check);
  window.addEventListener('storage', onStorage);
  window.addEventListener('pageshow', onShow);
  plan();

  return () => {
    clearTimeout(timer);
    unsubscribe();
    document.removeEventListener('visibilitychange', onVisible);
    window.removeEventListener('online', check);
    window.removeEventListener('storage', onStorage);
    window.removeEventListener('pageshow', onShow);
  };
}
