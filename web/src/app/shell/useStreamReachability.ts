import { useEffect, useRef } from 'react';
import { useLiveStatus } from '@/lib/live/useLive';
import { noteNoAnswer, noteStream } from '@/lib/offline/reachability';
import { checkForRelease } from '@/lib/offline/release';

/**
 * If the stream cannot be opened for this long, the banner reports it; a restarting server is
 * quicker.
 */
const silenceToleranceMs = 10_000;

/** Derives from the live stream whether the server is reachable; nothing else polls. */
export function useStreamReachability(): void {
  const { state } = useLiveStatus();
  const previousStream = useRef<'never' | 'open' | 'cut'>('never');
  useEffect(() => {
    noteStream(state === 'live');
    if (state === 'live') {
      // After an interruption the server may be a newer release.
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
