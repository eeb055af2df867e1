/**
 * How many samples at a steady interval fit into a window; both in milliseconds. The window
 * excludes its beginning.
 */
export function readingsThatFit(durations: number, interval: number): number {
  return interval <= 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil(durations / interval));
}
