import { useEffect, useRef } from 'react';
import { useLiveStatus } from '@/lib/live/live';
import { noteStream, unanswered } from '@/lib/offline/reach';
import { lookForRelease } from '@/lib/offline/release';

/** A stream that cannot be opened for so long is worth a word; a server that starts again is quicker. */
const silentMs = 10_000;

/** Lets the live stream tell whether the server is there; nothing else asks by itself. */
export function useStreamReach(): void {
  const { state } = useLiveStatus();
  const was = useRef<'never' | 'open' | 'cut'>('never');
  useEffect(() => {
    noteStream(state === 'live');
    if (state === 'live') {
      // Whoever was cut off may have come back to a newer server.
      if (was.current === 'cut') lookForRelease();
      was.current = 'open';
      return;
    }
    if (was.current === 'open') was.current = 'cut';
    if (state !== 'offline') return;
    const timer = setTimeout(unanswered, silentMs);
    return () => clearTimeout(timer);
  }, [state]);
  useEffect(() => () => noteStream(false), []);
}
