import { useEffect, useRef } from 'react';
import { useLiveStatus } from '@/lib/live/useLive';
import { noteNoAnswer, noteStream } from '@/lib/offline/reachability';
import { checkForRelease } from '@/lib/offline/release';

/** A stream that cannot be opened for so long is worth a word; a server that starts again is quicker. */
const silenceToleranceMs = 10_000;

/** Lets the live stream tell whether the server is there; nothing else asks by itself. */
export function useStreamReachability(): void {
  const { state } = useLiveStatus();
  const previousStream = useRef<'never' | 'open' | 'cut'>('never');
  useEffect(() => {
    noteStream(state === 'live');
    if (state === 'live') {
      // Whoever was cut off may have come back to a newer server.
      if (previousStream.current === 'cut') checkForRelease();
      previousStream.current = 'open';
      return;
    }
    if (previousStream.current === 'open') previousStream.current = 'cut';
    if (state !== 'offline') return;
    const timer = setTimeout(noteNoAnswer, silenceToleranceMs);
    return () => clearTimeout(timer);
  }, [state]);
  useEffect(() => () => noteStream(false), []);
}
