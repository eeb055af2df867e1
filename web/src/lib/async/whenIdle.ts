/**
 * Runs prefetching work once the browser is idle, so that the page comes first. Only a production
 * build prefetches.
 */
export function whenIdle(work: () => void): () => void {
  if (!import.meta.env.PROD) return () => undefined;
  if (!window.requestIdleCallback) {
    const timer = setTimeout(work, 2000);
    return () => clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(work, { timeout: 10_000 });
  return () => window.cancelIdleCallback(handle);
}
