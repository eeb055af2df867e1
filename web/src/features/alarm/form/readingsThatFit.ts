/** How many samples a window holds that come at a steady interval; both in milliseconds. The window's beginning is outside of it. */
export function readingsThatFit(durations: number, interval: number): number {
  return interval <= 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil(durations / interval));
}
