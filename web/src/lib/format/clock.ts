import { useCallback, useSyncExternalStore } from 'react';

/** A smaller difference comes from network latency, not from a wrong clock. */
const toleranceMs = 2000;
let serverOffset = 0;

/**
 * The time by the server's clock, epoch milliseconds: ages stay right on a machine with a wrong
 * clock.
 */
export function now(): number {
  return Date.now() + serverOffset;
}

/** Converts a time of this machine's clock to the server's. */
export function toServerTime(time: number): number {
  return time + serverOffset;
}

/** Records the server's time, as the server just sent it. */
export function noteServerTime(time: number): void {
  const difference = time - Date.now();
  serverOffset = Math.abs(difference) > toleranceMs ? difference : 0;
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  for (const listener of listeners) listener();
}

function onVisible(): void {
  if (!document.hidden) tick();
}

/**
 * Calls the listener about once a second; all ages of the page share one timer. Returns a function
 * that unsubscribes.
 */
export function subscribeClock(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    timer = setInterval(tick, 1000);
    document.addEventListener('visibilitychange', onVisible);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener('visibilitychange', onVisible);
  };
}

/** A value computed from the time; the component renders again only when the result differs. */
export function useClock<T extends string | number | boolean>(compute: (now: number) => T): T {
  return useSyncExternalStore(subscribeClock, () => compute(now()));
}

/** The time, rounded down to a multiple of the interval. */
export function useNow(intervalMs = 1000): number {
  const step = useCallback((time: number) => Math.floor(time / intervalMs) * intervalMs, [intervalMs]);
  return useClock(step);
}
