import { create } from 'zustand';

/**
 * Whether the server is heard of. `slow`: an answer is so late that the last one is shown meanwhile; `silent`: it does not answer;
 * `offline`: this machine says that it has no network.
 */
export type Reachability = 'online' | 'slow' | 'silent' | 'offline';

interface ReachabilityState {
  reach: Reachability;
  /** When a call was last answered, epoch milliseconds by this machine's clock; null before the first. */
  answeredAt: number | null;
}

/** One call that fails among others that are answered says nothing of the server. */
const failureGraceMs = 5_000;

export const useReachability = create<ReachabilityState>(() => ({ reach: 'online', answeredAt: null }));

let streaming = false;

/** False only where the machine is sure of it: a farm's own network is one, too. */
export function hasNetwork(): boolean {
  return navigator.onLine !== false;
}

/** A call was answered, whatever it was: that proves more than what the machine believes of its network. */
export function noteAnswer(): void {
  useReachability.setState({ reach: 'online', answeredAt: Date.now() });
}

/** A call was not answered. */
export function noteNoAnswer(): void {
  if (!hasNetwork()) useReachability.setState({ reach: 'offline' });
  else if (!streaming && Date.now() - (useReachability.getState().answeredAt ?? 0) >= failureGraceMs) {
    useReachability.setState({ reach: 'silent' });
  }
}

/** What was last heard is shown while an answer is on its way. */
export function noteLateAnswer(): void {
  if (useReachability.getState().reach === 'online') useReachability.setState({ reach: 'slow' });
}

/** Whether the live stream is open: while it is, the server is there. */
export function noteStream(open: boolean): void {
  if (open && !streaming && useReachability.getState().reach !== 'online') noteAnswer();
  streaming = open;
}

/** The machine lost its network, or has one again and now asks. */
export function noteNetworkChange(): void {
  if (!hasNetwork()) useReachability.setState({ reach: 'offline' });
  else if (useReachability.getState().reach === 'offline') useReachability.setState({ reach: 'slow' });
}

/** As on a page just opened. */
export function resetReachability(): void {
  streaming = false;
  useReachability.setState({ reach: hasNetwork() ? 'online' : 'offline', answeredAt: null });
}

/** Whether this machine has no network: what needs the server cannot be done. */
export function useOffline(): boolean {
  return useReachability(({ reach }) => reach === 'offline');
}

/** The time that values on the screen are as of, where they may have changed since; undefined while they are kept current. */
export function useAsOf(updatedAt: number | undefined): number | undefined {
  return useReachability(({ reach }) => (reach === 'online' || !updatedAt ? undefined : updatedAt));
}
