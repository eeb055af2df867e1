import { create } from 'zustand';

/**
 * Whether the server answers. `slow`: an answer is so late that the last one is shown meanwhile;
 * `silent`: the server does not answer; `offline`: this machine reports no network.
 */
export type Reachability = 'online' | 'slow' | 'silent' | 'offline';

interface ReachabilityState {
  reach: Reachability;
  /**
   * When the server last answered a call, epoch milliseconds by this machine's clock; null before
   * the first.
   */
  answeredAt: number | null;
}

/** One failure among other calls that succeed says nothing about the server. */
const failureGraceMs = 5_000;

export const useReachability = create<ReachabilityState>(() => ({ reach: 'online', answeredAt: null }));

let streaming = false;

/** False only where the machine is sure of it: a farm's own network counts as a network, too. */
export function hasNetwork(): boolean {
  return navigator.onLine !== false;
}

/** The server answered a call: this proves more than the machine's own view of its network. */
export function noteAnswer(): void {
  useReachability.setState({ reach: 'online', answeredAt: Date.now() });
}

/** The server did not answer a call. */
export function noteNoAnswer(): void {
  if (!hasNetwork()) useReachability.setState({ reach: 'offline' });
  else if (!streaming && Date.now() - (useReachability.getState().answeredAt ?? 0) >= failureGraceMs) {
    useReachability.setState({ reach: 'silent' });
  }
}

/** The last answer is shown while a new one is on its way. */
export function noteLateAnswer(): void {
  if (useReachability.getState().reach === 'online') useReachability.setState({ reach: 'slow' });
}

/** The live stream opened or closed: while it is open, the server is reachable. */
export function noteStream(open: boolean): void {
  if (open && !streaming && useReachability.getState().reach !== 'online') noteAnswer();
  streaming = open;
}

/**
 * The machine lost its network, or has one again. Then it counts as `slow`, with the last answers
 * shown, until the first answer arrives.
 */
export function noteNetworkChange(): void {
  if (!hasNetwork()) useReachability.setState({ reach: 'offline' });
  else if (useReachability.getState().reach === 'offline') useReachability.setState({ reach: 'slow' });
}

/** Resets to the state of a page just opened. */
export function resetReachability(): void {
  streaming = false;
  useReachability.setState({ reach: hasNetwork() ? 'online' : 'offline', answeredAt: null });
}

/** Whether this machine has no network, so that actions that need the server are unavailable. */
export function useOffline(): boolean {
  return useReachability(({ reach }) => reach === 'offline');
}

/**
 * The time as of which the screen's values are current, where they may have changed since;
 * undefined while they are live.
 */
export function useAsOf(updatedAt: number | undefined): number | undefined {
  return useReachability(({ reach }) => (reach === 'online' || !updatedAt ? undefined : updatedAt));
}
