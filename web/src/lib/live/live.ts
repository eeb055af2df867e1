import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import { now } from '@/lib/format/clock';
import { requestHeaders } from '@/lib/headers';
import { accessToken, renew, useSession } from '@/lib/session';
import { EventBatch } from './batch';
import type { LiveState, Port } from './connection';
import { eventOf, type LiveEvent } from './event';
import { openShared, type SharedStream } from './sharing';

export type { LiveState } from './connection';
export type { LiveEvent, LivePresence, LiveReading } from './event';

export interface LiveStatus {
  state: LiveState;
  /** When the newest event came, by the server's clock; null before the first. */
  lastEventAt: number | null;
}

type Handler = (events: readonly LiveEvent[]) => void;

const path = '/admin-api/client/pc/live';
const quiet: LiveStatus = { state: 'connecting', lastEventAt: null };
const useStatus = create<LiveStatus>(() => quiet);

const handlers = new Set<Handler>();
const batch = new EventBatch((events) => {
  if (events.some((event) => event.name !== 'reset')) useStatus.setState({ lastEventAt: now() });
  for (const handler of handlers) handler(events);
});

const port: Port = {
  token: accessToken,
  renew: async (used) => {
    await renew(used);
    return useSession.getState().session?.accessToken ?? null;
  },
  open: (token, lastEventId, signal) =>
    fetch(path, {
      headers: {
        ...requestHeaders(token),
        Accept: 'text/event-stream',
        ...(lastEventId ? { 'Last-Event-ID': lastEventId } : {}),
      },
      cache: 'no-store',
      credentials: 'omit',
      signal,
    }),
};

let stream: SharedStream | null = null;
let streamUser: number | null = null;
let lookers = 0;
let following = false;

/** Opens the stream when somebody is signed in and looks, closes it when not, and begins anew for another person. */
function follow(): void {
  const user = lookers > 0 ? (useSession.getState().session?.userId ?? null) : null;
  if (user === streamUser) return;
  stream?.stop();
  stream = null;
  streamUser = user;
  batch.clear();
  useStatus.setState(quiet);
  if (user === null) return;
  stream = openShared(`tilth.live.${user}`, port, {
    onFrames: (frames) => {
      for (const frame of frames) {
        const event = eventOf(frame);
        if (event) batch.add(event);
      }
    },
    onState: (state) => useStatus.setState({ state }),
    onHeard: () => undefined,
    onFresh: () => batch.add({ name: 'reset' }),
  });
}

function wake(): void {
  if (!document.hidden) stream?.wake();
}

function look(): () => void {
  lookers += 1;
  if (!following) {
    following = true;
    useSession.subscribe(follow);
    window.addEventListener('online', wake);
    document.addEventListener('visibilitychange', wake);
  }
  // Not at once: when one screen gives way to another the stream stays.
  queueMicrotask(follow);
  return () => {
    lookers -= 1;
    queueMicrotask(follow);
  };
}

/**
 * Hands live events to a screen while it is mounted, gathered once a frame. After a `reset` the screen fetches anew whatever it
 * shows. The handler may be a new function on every render.
 */
export function useLive(handler: Handler): void {
  const newest = useRef(handler);
  useEffect(() => {
    newest.current = handler;
  });
  useEffect(() => {
    const stop = look();
    const handle: Handler = (events) => newest.current(events);
    handlers.add(handle);
    return () => {
      handlers.delete(handle);
      stop();
    };
  }, []);
}

/** Whether the screen is live, and how old. */
export function useLiveStatus(): LiveStatus {
  useEffect(look, []);
  return useStatus();
}
