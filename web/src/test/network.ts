import { act } from '@testing-library/react';
import { useReachability } from '@/lib/offline/reachability';

/** Takes the network away until what is returned gives it back; answers that are on their way still change nothing. */
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
