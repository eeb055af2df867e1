/** The page comes first: what is kept for later is fetched when it stands. Only what was built fetches ahead. */
export function whenIdle(work: () => void): () => void {
  if (!import.meta.env.PROD) return () => undefined;
  if (!window.requestIdleCallback) {
    const timer = setTimeout(work, 2000);
    return () => clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(work, { timeout: 10_000 });
  return () => window.cancelIdleCallback(handle);
}
