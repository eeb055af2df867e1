/**
 * Calls `act` once a time (epoch milliseconds) has come and the page is visible: a background page
 * requests nothing. Returns a function that stops it.
 */
export function onceDue(due: number, act: () => void): () => void {
  const check = () => {
    if (document.hidden || Date.now() < due) return;
    stop();
    act();
  };
  const timer = setTimeout(check, Math.max(due - Date.now(), 0));
  // Also handles a machine that slept, since its timers slept too.
  document.addEventListener('visibilitychange', check);
  const stop = () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', check);
  };
  return stop;
}
