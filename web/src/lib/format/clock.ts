import { useCallback, useSyncExternalStore } from 'react';

/** A difference below this is the way of the answer, not a wrong clock. */
const toleranceMs = 2000;
let serverOffset = 0;

/** The time by the server's clock, epoch milliseconds: ages stay right on a machine whose clock is wrong. */
export function now(): number {
  return Date.now() + serverOffset;
}

/** A time that this machine's clock gave, as the server's would have. */
export function toServerTime(time: number): number {
  return time + serverOffset;
}

/** The server just said what time it is. */
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

/** Calls back about once a second while anybody listens: one timer for all ages of the page. Returns how to stop. */
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

/** Something computed from the time; the component renders again only when the result differs. */
export function useClock<T extends string | number | boolean>(compute: (now: number) => T): T {
  return useSyncExternalStore(subscribeClock, () => compute(now()));
}

/** The time, in steps of an interval. */
export function useNow(intervalMs = 1000): number {
  const step = useCallback((time: number) => Math.floor(time / intervalMs) * intervalMs, [intervalMs]);
  return useClock(step);
}
