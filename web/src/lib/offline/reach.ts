import { create } from 'zustand';

/**
 * Whether the server is heard of. `slow`: an answer is so late that the last one is shown meanwhile; `silent`: it does not answer;
 * `offline`: this machine says that it has no network.
 */
export type Reach = 'online' | 'slow' | 'silent' | 'offline';

interface ReachState {
  reach: Reach;
  /** When a call was last answered, epoch milliseconds by this machine's clock; null before the first. */
  answeredAt: number | null;
}

/** One call that fails among others that are answered says nothing of the server. */
const togetherMs = 5_000;

export const useReach = create<ReachState>(() => ({ reach: 'online', answeredAt: null }));

let streaming = false;

/** False only where the machine is sure of it: a farm's own network is one, too. */
export function hasNetwork(): boolean {
  return navigator.onLine !== false;
}

/** A call was answered, whatever it was: that proves more than what the machine believes of its network. */
export function answered(): void {
  useReach.setState({ reach: 'online', answeredAt: Date.now() });
}

/** A call was not answered. */
export function unanswered(): void {
  if (!hasNetwork()) useReach.setState({ reach: 'offline' });
  else if (!streaming && Date.now() - (useReach.getState().answeredAt ?? 0) >= togetherMs) {
    useReach.setState({ reach: 'silent' });
  }
}

/** What was last heard is shown while an answer is on its way. */
export function late(): void {
  if (useReach.getState().reach === 'online') useReach.setState({ reach: 'slow' });
}

/** Whether the live stream is open: while it is, the server is there. */
export function noteStream(open: boolean): void {
  if (open && !streaming && useReach.getState().reach !== 'online') answered();
  streaming = open;
}

/** The machine lost its network, or has one again and now asks. */
export function noteNetwork(): void {
  if (!hasNetwork()) useReach.setState({ reach: 'offline' });
  else if (useReach.getState().reach === 'offline') useReach.setState({ reach: 'slow' });
}

/** As on a page just opened. */
export function forgetReach(): void {
  streaming = false;
  useReach.setState({ reach: hasNetwork() ? 'online' : 'offline', answeredAt: null });
}

/** Whether this machine has no network: what needs the server cannot be done. */
export function useOffline(): boolean {
  return useReach(({ reach }) => reach === 'offline');
}

/** The time that values on the screen are as of, where they may have changed since; undefined while they are kept current. */
export function useAsOf(updatedAt: number | undefined): number | undefined {
  return useReach(({ reach }) => (reach === 'online' || !updatedAt ? undefined : updatedAt));
}
