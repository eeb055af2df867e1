import { type ConnectionListener, LiveConnection, type LiveState, type LiveTransport, silenceMs } from './connection';
import type { StreamEvent } from './eventStreamParser';
import { isBefore } from './streamPosition';

/** The messages between the tab that holds the stream and the others. */
type TabMessage =
  | { kind: 'frames'; frames: StreamEvent[] }
  | { kind: 'state'; state: LiveState; lastId: string }
  | { kind: 'heard'; lastId: string }
  | { kind: 'fresh' }
  | { kind: 'hello' } // a tab has joined and asks for the current state
  | { kind: 'wake' }; // a tab came to the front, or is online again

export interface SharedStream {
  stop: () => void;
  wake: () => void;
}

/** One stream for all tabs of the browser where it can coordinate them, else one per tab. */
export function openSharedStream(name: string, transport: LiveTransport, listener: ConnectionListener): SharedStream {
  // Web Locks exist only on secure pages and on localhost.
  if (typeof BroadcastChannel === 'undefined' || !navigator.locks) {
    const connection = new LiveConnection(transport, listener);
    connection.start();
    return connection;
  }
  return new SharedTabStream(name, transport, listener);
}

/**
 * The tab that holds the lock reads the stream and passes everything on; the others listen and
 * queue for the lock. When that tab closes, the next one resumes by the last id that it received. A
 * tab in front that hears nothing steals the lock: the reader is frozen.
 */
class SharedTabStream implements SharedStream {
  private readonly name: string;
  private readonly transport: LiveTransport;
  private readonly listener: ConnectionListener;
  private readonly channel: BroadcastChannel;
  private readonly stopped = new AbortController();
  private connection: LiveConnection | null = null;
  private state: LiveState = 'connecting';
  private lastId = '';
  /** The open stream's newest event about storage, which tabs that join are told. */
  private storage: StreamEvent | null = null;
  /** Whether this tab knows that it began to listen before its data was fetched. */
  private joined = false;
  private silenceTimer: ReturnType<typeof setTimeout> | undefined;
  private lockRequest: AbortController | null = null;

  constructor(name: string, transport: LiveTransport, listener: ConnectionListener) {
    this.name = name;
    this.transport = transport;
    this.listener = listener;
    this.channel = new BroadcastChannel(name);
    this.channel.onmessage = (message: MessageEvent<TabMessage>) => this.onTabMessage(message.data);
    this.broadcast({ kind: 'hello' });
    this.queueForLock();
    this.restartSilenceTimer();
  }

  stop(): void {
    this.stopped.abort();
    this.lockRequest?.abort();
    clearTimeout(this.silenceTimer);
    this.connection?.stop();
    this.connection = null;
    this.channel.close();
  }

  wake(): void {
    if (this.connection) this.connection.wake();
    else this.broadcast({ kind: 'wake' });
  }

  private broadcast(message: TabMessage): void {
    if (!this.stopped.signal.aborted) this.channel.postMessage(message);
  }

  private queueForLock(): void {
    const waiting = new AbortController();
    this.lockRequest = waiting;
    this.requestLock({ signal: waiting.signal }, waiting.signal);
  }

  private stealLock(): void {
    this.lockRequest?.abort();
    this.requestLock({ steal: true }, this.stopped.signal);
  }

  private requestLock(options: LockOptions, given: AbortSignal): void {
    navigator.locks
      .request(this.name, options, () => this.readForAllTabs())
      .then(
        () => undefined,
        () => {
          // If this tab gave the lock up, return; if another tab stole it, listen again.
          if (given.aborted || this.stopped.signal.aborted) return;
          this.connection?.stop();
          this.connection = null;
          this.queueForLock();
          this.restartSilenceTimer();
        },
      );
  }

  /**
   * Reads the stream for all tabs. The promise, and with it the lock, lasts until this tab stops or
   * is closed.
   */
  private readForAllTabs(): Promise<void> {
    clearTimeout(this.silenceTimer);
    if (this.stopped.signal.aborted) return Promise.resolve();
    this.connection = new LiveConnection(
      this.transport,
      {
        onStreamEvents: (streamEvents) => {
          this.lastId = streamEvents.at(-1)?.id || this.lastId;
          this.storage = streamEvents.findLast(({ name }) => name === 'storage') ?? this.storage;
          this.listener.onStreamEvents(streamEvents);
          this.broadcast({ kind: 'frames', frames: streamEvents });
        },
        onState: (state) => {
          this.setState(state);
          this.broadcast({ kind: 'state', state, lastId: this.lastId });
        },
        onActivity: (lastId) => {
          this.lastId = lastId;
          this.listener.onActivity(lastId);
          this.broadcast({ kind: 'heard', lastId });
        },
        onFreshStart: () => {
          this.listener.onFreshStart();
          this.broadcast({ kind: 'fresh' });
        },
      },
      this.lastId,
    );
    this.connection.start();
    return new Promise((resolve) => this.stopped.signal.addEventListener('abort', () => resolve()));
  }

  private onTabMessage(message: TabMessage): void {
    if (this.stopped.signal.aborted) return;
    if (this.connection) {
      if (message.kind === 'hello') this.welcome();
      if (message.kind === 'wake') this.connection.wake();
      return;
    }
    if (message.kind === 'hello' || message.kind === 'wake') return;
    this.restartSilenceTimer();
    switch (message.kind) {
      case 'frames':
        this.lastId = message.frames.at(-1)?.id || this.lastId;
        this.listener.onStreamEvents(message.frames);
        break;
      case 'state':
        this.lastId = message.lastId || this.lastId;
        this.setState(message.state);
        this.join(message.lastId);
        break;
      case 'heard':
        this.lastId = message.lastId || this.lastId;
        this.listener.onActivity(this.lastId);
        this.join(message.lastId);
        break;
      case 'fresh':
        this.joined = true;
        this.listener.onFreshStart();
        break;
    }
  }

  /**
   * `heard` is the reader's position when this tab began to listen. Data fetched before that may
   * lack events that only the other tabs received.
   */
  private join(heard: string): void {
    if (this.joined || heard === '') return;
    this.joined = true;
    void this.transport.startPosition().then((fetched) => {
      if (fetched !== '' && isBefore(fetched, heard) && !this.stopped.signal.aborted) this.listener.onFreshStart();
    });
  }

  /** Tells a tab that has joined how things are. */
  private welcome(): void {
    this.broadcast({ kind: 'state', state: this.state, lastId: this.lastId });
    if (this.storage) this.broadcast({ kind: 'frames', frames: [this.storage] });
  }

  private setState(state: LiveState): void {
    this.state = state;
    if (state !== 'live') this.storage = null;
    this.listener.onState(state);
  }

  /**
   * The reader passes on at least a comment every 15 s, and its state while it has no connection.
   */
  private restartSilenceTimer(): void {
    clearTimeout(this.silenceTimer);
    this.silenceTimer = setTimeout(() => {
      if (this.stopped.signal.aborted || this.connection) return;
      // Nobody waits for a tab in the background; it checks again when it comes to the front.
      if (document.hidden) this.restartSilenceTimer();
      else this.stealLock();
    }, silenceMs + 5000);
  }
}
