import { applyOtherTabSession, reloadStoredSession, renew, storageKey, useSession } from './session';

/** How long to wait before another attempt when the server does not answer. */
const retryAfterMs = 15_000;
/** setTimeout overflows beyond 2^31 ms; a longer wait is split. */
const maxTimeout = 2 ** 31 - 1;

/**
 * Keeps the session alive while the page is open: renews it in time, on waking and on coming back
 * online, and follows other tabs. Returns a function that stops it.
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
    // Not reported: the next call reports it if the server still does not answer.
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
  // The back button may restore a page of a user who has signed out since.
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
