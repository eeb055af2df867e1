import { act } from '@testing-library/react';
import { useReach } from '@/lib/offline/reach';

/** Takes the network away until what is returned gives it back; answers that are on their way still change nothing. */
export function loseNetwork(): () => void {
  const lost = () => useReach.setState({ reach: 'offline' });
  const release = useReach.subscribe(({ reach }) => {
    if (reach !== 'offline') lost();
  });
  act(lost);
  return () => {
    release();
    act(() => useReach.setState({ reach: 'online' }));
  };
}
