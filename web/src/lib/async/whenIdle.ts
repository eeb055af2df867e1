/**
 * Runs work that prefetches for later once the page has loaded and is idle. Only a production build
 * prefetches.
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
