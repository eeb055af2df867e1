import { createEventStreamParser, type StreamEvent } from './eventStreamParser';

export type LiveState = 'connecting' | 'live' | 'offline';

/** What a connection needs from its environment. */
export interface LiveTransport {
  /**
   * The token for the connection; null when nobody is signed in. Rejects when it is unavailable for
   * now.
   */
  token: () => Promise<string | null>;
  /**
   * Called when the server no longer accepts this token: returns a new one, or null when the
   * session is over. Rejects as `token` does.
   */
  renew: (used: string) => Promise<string | null>;
  /**
   * The position for the first stream, which then brings everything that has not been fetched;
   * empty when no position is known.
   */
  startPosition: () => Promise<string>;
  open: (token: string, lastEventId: string, signal: AbortSignal) => Promise<Response>;
}

export interface ConnectionListener {
  onStreamEvents: (streamEvents: StreamEvent[]) => void;
  onState: (state: LiveState) => void;
  /** The stream sent something, even a comment; the position is that of the newest event. */
  onActivity: (lastId: string) => void;
  /** The stream opened without a position: data fetched before may miss something. */
  onFreshStart: () => void;
}

/** How an attempt ended; this decides what comes next. */
type AttemptEnd =
  | { kind: 'ended' } // was open, then cut
  | { kind: 'failed'; waitAtLeast: number }
  | { kind: 'again' } // with another token, at once
  | { kind: 'over' }; // nobody is signed in

/**
 * The server writes at least a comment every 15 s; after this long without one the connection is
 * dead, whatever TCP reports.
 */
export const silenceMs = 40_000;
const openMs = 10_000;
const firstWaitMs = 1000;
const maxWaitMs = 30_000;

/**
 * Keeps one stream of server-sent events open: it resumes by the last event's id, renews an expired
 * session, detects silence, and reconnects after failures with growing, jittered waits.
 */
export class LiveConnection {
  private readonly transport: LiveTransport;
  private readonly listener: ConnectionListener;
  private lastId: string;
  private started = false;
  private running = false;
  private attempt: AbortController | null = null;
  private cancelWait: (() => void) | null = null;
  /** Set by `wake`: the next attempt starts without a pause. */
  private skipNextWait = false;
  private lastActivityAt = 0;
  private baseWait = firstWaitMs;
  private failures = 0;
  private refusals = 0;

  constructor(transport: LiveTransport, listener: ConnectionListener, lastEventId = '') {
    this.transport = transport;
    this.listener = listener;
    this.lastId = lastEventId;
  }

  /** Works once; a stopped connection stays stopped. */
  start(): void {
    if (this.started) return;
    this.started = true;
    this.running = true;
    void this.run();
  }

  stop(): void {
    this.running = false;
    this.attempt?.abort();
    this.cancelWait?.();
  }

  /**
   * The network or the screen is back: ends the wait, and does not trust a stream that was silent
   * meanwhile.
   */
  wake(): void {
    this.failures = 0;
    this.cancelWait?.();
    if (this.lastActivityAt === 0 || Date.now() - this.lastActivityAt <= silenceMs) return;
    this.skipNextWait = true;
    this.attempt?.abort();
  }

  private async run(): Promise<void> {
    this.listener.onState('connecting');
    while (this.running) {
      const end = await this.connectOnce();
      if (!this.running) return;
      if (end.kind === 'over') {
        this.running = false;
        this.listener.onState('offline');
        return;
      }
      if (end.kind === 'again') continue;
      if (end.kind === 'ended') {
        this.listener.onState('connecting');
        await this.pause(this.baseWait);
      } else {
        this.listener.onState('offline');
        const grown = Math.min(maxWaitMs, this.baseWait * 2 ** Math.min(this.failures, 10));
        this.failures += 1;
        await this.pause(Math.max(grown, end.waitAtLeast));
      }
    }
  }

  private async connectOnce(): Promise<AttemptEnd> {
    this.lastActivityAt = 0;
    this.lastId ||= await this.transport.startPosition();
    if (!this.running) return { kind: 'over' };
    const attempt = new AbortController();
    this.attempt = attempt;
    // Before the stream opens, this is the time-out of a call; afterwards, the silence limit.
    let watchdog = setTimeout(() => attempt.abort(), openMs);
    const onBytes = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => attempt.abort(), silenceMs);
      this.lastActivityAt = Date.now();
      this.listener.onActivity(this.lastId);
    };
    let opened = false;
    try {
      const token = await this.transport.token();
      if (token === null) return { kind: 'over' };
      if (!this.running) return { kind: 'over' };
      const response = await this.transport.open(token, this.lastId, attempt.signal);
      if (!isStream(response)) return await this.handleRefusal(response, token);
      opened = true;
      this.failures = 0;
      this.refusals = 0;
      onBytes();
      this.listener.onState('live');
      if (this.lastId === '') this.listener.onFreshStart();
      const expired = await this.read(response.body, onBytes);
      return expired ? await this.renewToken(token) : { kind: 'ended' };
    } catch {
      // Cut off, refused by the network, silent, or the session could not be renewed for now: all
      // lead to a new attempt.
      return opened && !attempt.signal.aborted ? { kind: 'ended' } : { kind: 'failed', waitAtLeast: 0 };
    } finally {
      clearTimeout(watchdog);
      attempt.abort();
    }
  }

  /** Reads to the end of the stream; returns true when it ended because the session did. */
  private async read(body: ReadableStream<Uint8Array>, onBytes: () => void): Promise<boolean> {
    let streamEvents: StreamEvent[] = [];
    const parser = createEventStreamParser({
      onEvent: (streamEvent) => streamEvents.push(streamEvent),
      onId: (id) => {
        this.lastId = id;
      },
      onRetry: (ms) => {
        this.baseWait = Math.min(maxWaitMs, Math.max(100, ms));
      },
    });
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || !this.running) return false;
      onBytes();
      streamEvents = [];
      parser.feed(decoder.decode(value, { stream: true }));
      const visibleEvents = streamEvents.filter((streamEvent) => streamEvent.name !== 'expired');
      if (visibleEvents.length > 0) this.listener.onStreamEvents(visibleEvents);
      if (visibleEvents.length < streamEvents.length) return true;
    }
  }

  /** The answer was not a stream but an envelope, or not from this server at all. */
  private async handleRefusal(response: Response, token: string): Promise<AttemptEnd> {
    const envelope = (await response.json().catch(() => null)) as { code?: unknown } | null;
    if (envelope?.code === 401) return this.renewToken(token);
    const seconds = Number(response.headers.get('Retry-After') ?? 0);
    return { kind: 'failed', waitAtLeast: Number.isFinite(seconds) ? Math.min(seconds * 1000, maxWaitMs) : 0 };
  }

  private async renewToken(token: string): Promise<AttemptEnd> {
    const fresh = await this.transport.renew(token);
    if (fresh === null) return { kind: 'over' };
    // Prevents a loop with a server that refuses even new tokens.
    this.refusals += 1;
    return this.refusals > 1 ? { kind: 'failed', waitAtLeast: 0 } : { kind: 'again' };
  }

  private async pause(ms: number): Promise<void> {
    if (this.skipNextWait) {
      this.skipNextWait = false;
      return;
    }
    // Jittered, so that a thousand screens do not reconnect in the same instant.
    const scattered = ms / 2 + (ms / 2) * Math.random();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, scattered);
      this.cancelWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.cancelWait = null;
  }
}

function isStream(response: Response): response is Response & { body: ReadableStream<Uint8Array> } {
  return (
    response.ok &&
    response.body !== null &&
    (response.headers.get('Content-Type') ?? '').startsWith('text/event-stream')
  );
}
