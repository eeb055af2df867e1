import { applyOtherTabSession, reloadStoredSession, renew, storageKey, useSession } from './session';

/** How long to wait before another try when the server could not be asked. */
const retryAfterMs = 15_000;
/** setTimeout overflows beyond 2^31 ms; a longer wait is taken in parts. */
const maxTimeout = 2 ** 31 - 1;

/**
 * Keeps the session alive while the page is open: renews it in time, on waking and on coming back online, and
 * follows what other tabs do. Returns how to stop.
 */
export function startSessionRenewal(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;

  const schedule = (earliest = 0) => {
    clearTimeout(timer);
    const { session } = useSession.getState();
    if (!session) return;
    timer = setTimeout(check, Math.min(Math.max(session.renewAt - Date.now(), earliest), maxTimeout));
  };

  const check = () => {
    const { session } = useSession.getState();
    if (!session) return;
    if (session.renewAt > Date.now()) return schedule();
    // Not told to anybody: the next call will say it if the server still cannot be reached.
    renew(session.accessToken).then(
      () => schedule(retryAfterMs),
      () => schedule(retryAfterMs),
    );
  };

  const onVisible = () => {
    if (document.visibilityState === 'visible') check();
  };
  const onStorage = (event: StorageEvent) => {
    // A null key means that the whole storage was cleared.
    if (event.key === storageKey || event.key === null) applyOtherTabSession(event.newValue);
  };
  // Going back may bring a page as it was left, of somebody who has quit since.
  const onShow = (event: PageTransitionEvent) => {
    if (event.persisted) reloadStoredSession();
  };

  const unsubscribe = useSession.subscribe((state, before) => {
    if (state.session !== before.session) schedule();
  });
  document.addEventListener('visibilitychange', onVisible);
  window.addEventListener('online', check);
  window.addEventListener('storage', onStorage);
  window.addEventListener('pageshow', onShow);
  schedule();

  return () => {
    clearTimeout(timer);
    unsubscribe();
    document.removeEventListener('visibilitychange', onVisible);
    window.removeEventListener('online', check);
    window.removeEventListener('storage', onStorage);
    window.removeEventListener('pageshow', onShow);
  };
}
