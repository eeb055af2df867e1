/** Acts once a moment (epoch milliseconds) has come and somebody looks: a page in the background asks for nothing. Returns how to stop. */
export function onceDue(due: number, act: () => void): () => void {
  const check = () => {
    if (document.hidden || Date.now() < due) return;
    stop();
    act();
  };
  const timer = setTimeout(check, Math.max(due - Date.now(), 0));
  // Also for a machine that slept: its timers did.
  document.addEventListener('visibilitychange', check);
  const stop = () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', check);
  };
  return stop;
}
