import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import { now } from '@/lib/format/clock';
import { requestHeaders } from '@/lib/headers';
import { accessToken, renew, useSession } from '@/lib/session';
import { EventBatch } from './batch';
import type { LiveState, Port } from './connection';
import { eventOf, type LiveEvent } from './event';
import { caughtUp, openFrom } from './position';
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
  shown = told;
  if (events.some((event) => event.name !== 'reset')) useStatus.setState({ lastEventAt: now() });
  for (const handler of handlers) handler(events);
});

const port: Port = {
  token: accessToken,
  renew: async (used) => {
    await renew(used);
    return useSession.getState().session?.accessToken ?? null;
  },
  from: openFrom,
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
/** The newest event that the stream has brought, and the newest that was handed to the screens. */
let told = '';
let shown = '';
let lookers = 0;
let following = false;

/** Opens the stream when somebody is signed in and looks, closes it when not, and begins anew for another person. */
function follow(): void {
  const signedIn = useSession.getState().session?.userId ?? null;
  const user = lookers > 0 ? signedIn : null;
  if (user === streamUser) return;
  stream?.stop();
  // Nobody looks, but the same person may again, at what is shown now.
  if (streamUser !== null && streamUser === signedIn) caughtUp(shown);
  told = '';
  shown = '';
  stream = null;
  streamUser = user;
  batch.clear();
  useStatus.setState(quiet);
  if (user === null) return;
  stream = openShared(`tilth.live.${user}`, port, {
    onFrames: (frames) => {
      told = frames.at(-1)?.id || told;
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
