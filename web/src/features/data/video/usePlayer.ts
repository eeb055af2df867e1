import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { openStream, type Source, type Stream } from './stream';

/** `paused`: by the user, or because the browser blocks autoplay. */
export type PlayerState = 'loading' | 'playing' | 'paused' | 'down' | 'unsupported';

/** A picture that has not moved for this long counts as stopped. */
const stalledMs = 20_000;
/** The time from a stream's failure to the next attempt. */
export const retryMs = 30_000;

export interface Player {
  state: PlayerState;
  live: boolean;
  /** The camera's own time, epoch milliseconds; null if unknown. */
  date: number | null;
  savable: boolean;
  /** When the failure was found, epoch milliseconds by this machine's clock. */
  downAt: number;
  play: () => void;
  pause: () => void;
  retry: () => void;
}

/**
 * Plays a source in a video element while it is mounted: reports failures, retries, and stops
 * fetching while the tab is hidden.
 */
export function usePlayer(element: RefObject<HTMLVideoElement | null>, { kind, url }: Source): Player {
  const [state, setState] = useState<PlayerState>('loading');
  const [attempt, setAttempt] = useState(0);
  const [picture, setPicture] = useState({ live: false, date: null as number | null, savable: false });
  const [downAt, setDownAt] = useState(0);
  const wanted = useRef(true);

  const play = useCallback(() => {
    wanted.current = true;
    // The browser may refuse to play without a user gesture: then the play button is shown.
    element.current?.play().catch(() => setState((now) => (now === 'loading' ? 'paused' : now)));
  }, [element]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt starts anew
  useEffect(() => {
    const video = element.current;
    if (!video) return;
    let stream: Stream | undefined;
    let closed = false;
    let still: ReturnType<typeof setTimeout> | undefined;
    setState('loading');

    /** While nobody looks, nothing is fetched. */
    let resting = false;
    const rest = (on: boolean) => {
      if (on === resting) return;
      resting = on;
      stream?.fetch(!on);
    };
    const close = () => {
      closed = true;
      clearTimeout(still);
      stream?.close();
      stream = undefined;
    };
    const end = (as: 'down' | 'unsupported') => {
      if (closed) return;
      close();
      setDownAt(Date.now());
      setState(as);
    };
    const moved = () => {
      clearTimeout(still);
      if (closed || document.hidden || !wanted.current) return;
      still = setTimeout(() => end('down'), stalledMs);
    };
    const onPlaying = () => {
      moved();
      if (!closed) setState('playing');
    };
    const onPause = () => {
      clearTimeout(still);
      // The tab was hidden or the element is being removed: the user did not pause.
      if (closed || wanted.current) return;
      setState('paused');
      rest(true);
    };
    const onTime = () => {
      moved();
      const live = video.duration === Number.POSITIVE_INFINITY;
      const time = stream?.date()?.getTime();
      const date = time === undefined ? null : Math.floor(time / 1000) * 1000;
      setPicture((before) => (before.live === live && before.date === date ? before : { ...before, live, date }));
    };
    const onVisible = () => {
      if (closed) return;
      clearTimeout(still);
      if (document.hidden) {
        video.pause();
        rest(true);
      } else if (wanted.current) play();
    };
    const onPlay = () => {
      rest(false);
      moved();
    };

    const events = { play: onPlay, playing: onPlaying, pause: onPause, timeupdate: onTime };
    for (const [name, listener] of Object.entries(events)) video.addEventListener(name, listener);
    document.addEventListener('visibilitychange', onVisible);
    moved();
    openStream(video, { kind, url }, { onDown: () => end('down'), onUnsupported: () => end('unsupported') }).then(
      (opened) => {
        if (closed) return opened.close();
        stream = opened;
        setPicture((before) => ({ ...before, savable: opened.own }));
        if (document.hidden) rest(true);
        else if (wanted.current) play();
      },
      // The library could not be loaded: treated like a failed stream and retried.
      () => end('down'),
    );
    return () => {
      close();
      for (const [name, listener] of Object.entries(events)) video.removeEventListener(name, listener);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [element, kind, url, attempt, play]);

  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  useEffect(() => {
    if (state !== 'down') return;
    const timer = setTimeout(retry, retryMs);
    return () => clearTimeout(timer);
  }, [state, retry]);

  const pause = useCallback(() => {
    wanted.current = false;
    element.current?.pause();
  }, [element]);
  return { state, ...picture, downAt, play, pause, retry };
}
