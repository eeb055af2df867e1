import { act } from '@testing-library/react';
import { useReachability } from '@/lib/offline/reachability';

/**
 * Takes the network away until the returned function restores it; answers that are on their way do
 * not change that.
 */
export function goOffline(): () => void {
  const lost = () => useReachability.setState({ reach: 'offline' });
  const release = useReachability.subscribe(({ reach }) => {
    if (reach !== 'offline') lost();
  });
  act(lost);
  return () => {
    release();
    act(() => useReachability.setState({ reach: 'online' }));
  };
}
