import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import { now } from '@/lib/format/clock';
import { requestHeaders } from '@/lib/http/headers';
import { accessToken, renew, useSession } from '@/lib/session/session';
import type { LiveState, LiveTransport } from './connection';
import { noteDelivery } from './deliveries';
import { type LiveEvent, parseEvent } from './event';
import { EventBatch } from './eventBatch';
import { openSharedStream, type SharedStream } from './sharedStream';
import { markCaughtUp, streamStartPosition } from './streamPosition';

export type { LiveState } from './connection';
export type { LiveEvent, LiveHint, LivePresence, LiveReading } from './event';

export interface LiveStatus {
  state: LiveState;
  /** When the newest event came, by the server's clock; null before the first. */
  lastEventAt: number | null;
  /** Since when the server cannot store readings, epoch ms by its clock; null: it can, as far as is known. */
  storageStoppedAt: number | null;
}

type LiveHandler = (events: readonly LiveEvent[]) => void;

const path = '/admin-api/client/pc/live';
const initialStatus: LiveStatus = { state: 'connecting', lastEventAt: null, storageStoppedAt: null };
const useStatus = create<LiveStatus>(() => initialStatus);

const handlers = new Set<LiveHandler>();
const batch = new EventBatch((events) => {
  noteDelivery();
  deliveredId = receivedId;
  if (events.some((event) => event.name !== 'reset')) useStatus.setState({ lastEventAt: now() });
  for (const handler of handlers) handler(events);
});

const transport: LiveTransport = {
  token: accessToken,
  renew: async (used) => {
    await renew(used);
    return useSession.getState().session?.accessToken ?? null;
  },
  startPosition: streamStartPosition,
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
/** The newest event that the stream has brought, and the newest that the screens have received. */
let receivedId = '';
let deliveredId = '';
let subscriberCount = 0;
let listening = false;

/**
 * Opens the stream while a user is signed in and a screen subscribes, closes it otherwise, and
 * starts over for another user.
 */
function syncStream(): void {
  const signedIn = useSession.getState().session?.userId ?? null;
  const user = subscriberCount > 0 ? signedIn : null;
  if (user === streamUser) return;
  stream?.stop();
  // No screen subscribes now, but the same user may return to the data shown now.
  if (streamUser !== null && streamUser === signedIn) markCaughtUp(deliveredId);
  receivedId = '';
  deliveredId = '';
  stream = null;
  streamUser = user;
  batch.clear();
  useStatus.setState(initialStatus);
  if (user === null) return;
  stream = openSharedStream(`tilth.live.${user}`, transport, {
    onStreamEvents: (frames) => {
      receivedId = frames.at(-1)?.id || receivedId;
      for (const frame of frames) {
        const event = parseEvent(frame);
        if (event?.name === 'storage') useStatus.setState({ storageStoppedAt: event.data.stoppedAt ?? null });
        else if (event) batch.add(event);
      }
    },
    onState: (state) => {
      // A stream that opens is told anew.
      useStatus.setState(state === 'live' ? { state } : { state, storageStoppedAt: null });
    },
    onActivity: () => undefined,
    onFreshStart: () => batch.add({ name: 'reset' }),
  });
}

function wake(): void {
  if (!document.hidden) stream?.wake();
}

function addSubscriber(): () => void {
  subscriberCount += 1;
  if (!listening) {
    listening = true;
    useSession.subscribe(syncStream);
    window.addEventListener('online', wake);
    document.addEventListener('visibilitychange', wake);
  }
  // Deferred, so that the stream stays when one screen replaces another.
  queueMicrotask(syncStream);
  return () => {
    subscriberCount -= 1;
    queueMicrotask(syncStream);
  };
}

/**
 * Delivers live events to a mounted screen, batched per animation frame. After a `reset` the screen
 * refetches everything that it shows. The handler may be a new function on every render.
 */
export function useLive(handler: LiveHandler): void {
  const newest = useRef(handler);
  useEffect(() => {
    newest.current = handler;
  });
  useEffect(() => {
    const stop = addSubscriber();
    const handle: LiveHandler = (events) => newest.current(events);
    handlers.add(handle);
    return () => {
      handlers.delete(handle);
      stop();
    };
  }, []);
}

/** Whether the screen is live, and how old its data is. */
export function useLiveStatus(): LiveStatus {
  useEffect(addSubscriber, []);
  return useStatus();
}
