import { type ConnectionListener, LiveConnection, type LiveState, type Port, silenceMs } from './connection';
import type { Frame } from './parser';
import { isBefore } from './position';

/** What the tab that holds the stream tells the others, and what they ask of it. */
type TabMessage =
  | { kind: 'frames'; frames: Frame[] }
  | { kind: 'state'; state: LiveState; lastId: string }
  | { kind: 'heard'; lastId: string }
  | { kind: 'fresh' }
  | { kind: 'hello' } // a tab has joined: say how things stand
  | { kind: 'wake' }; // a tab came to the front or back online

export interface SharedStream {
  stop: () => void;
  wake: () => void;
}

/** One stream for all tabs of the browser where it can coordinate them, else one of our own. */
export function openShared(name: string, port: Port, listener: ConnectionListener): SharedStream {
  // Web Locks exist only on secure pages and on localhost.
  if (typeof BroadcastChannel === 'undefined' || !navigator.locks) {
    const connection = new LiveConnection(port, listener);
    connection.start();
    return connection;
  }
  return new TabStream(name, port, listener);
}

/**
 * The tab that gets the lock reads the stream and passes everything on; the others listen and stand in line. When it closes, the
 * next one resumes by the last id that it was told. A tab in front that hears nothing takes the lock away: the reader was frozen.
 */
class TabStream implements SharedStream {
  private readonly name: string;
  private readonly port: Port;
  private readonly listener: ConnectionListener;
  private readonly channel: BroadcastChannel;
  private readonly stopped = new AbortController();
  private connection: LiveConnection | null = null;
  private state: LiveState = 'connecting';
  private lastId = '';
  /** Whether this tab knows that it listens since before what it shows was fetched. */
  private joined = false;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private waiting: AbortController | null = null;

  constructor(name: string, port: Port, listener: ConnectionListener) {
    this.name = name;
    this.port = port;
    this.listener = listener;
    this.channel = new BroadcastChannel(name);
    this.channel.onmessage = (message: MessageEvent<TabMessage>) => this.hear(message.data);
    this.tell({ kind: 'hello' });
    this.standInLine();
    this.expectWord();
  }

  stop(): void {
    this.stopped.abort();
    this.waiting?.abort();
    clearTimeout(this.silence);
    this.connection?.stop();
    this.connection = null;
    this.channel.close();
  }

  wake(): void {
    if (this.connection) this.connection.wake();
    else this.tell({ kind: 'wake' });
  }

  private tell(message: TabMessage): void {
    if (!this.stopped.signal.aborted) this.channel.postMessage(message);
  }

  private standInLine(): void {
    const waiting = new AbortController();
    this.waiting = waiting;
    this.hold({ signal: waiting.signal }, waiting.signal);
  }

  private takeLock(): void {
    this.waiting?.abort();
    this.hold({ steal: true }, this.stopped.signal);
  }

  private hold(options: LockOptions, given: AbortSignal): void {
    navigator.locks
      .request(this.name, options, () => this.lead())
      .then(
        () => undefined,
        () => {
          // Given up by ourselves, or else taken away: then this tab listens again.
          if (given.aborted || this.stopped.signal.aborted) return;
          this.connection?.stop();
          this.connection = null;
          this.standInLine();
          this.expectWord();
        },
      );
  }

  /** Reads the stream for all. The promise, and with it the lock, lasts until this tab stops or is closed. */
  private lead(): Promise<void> {
    clearTimeout(this.silence);
    if (this.stopped.signal.aborted) return Promise.resolve();
    this.connection = new LiveConnection(
      this.port,
      {
        onFrames: (frames) => {
          this.lastId = frames.at(-1)?.id || this.lastId;
          this.listener.onFrames(frames);
          this.tell({ kind: 'frames', frames });
        },
        onState: (state) => {
          this.setState(state);
          this.tell({ kind: 'state', state, lastId: this.lastId });
        },
        onHeard: (lastId) => {
          this.lastId = lastId;
          this.listener.onHeard(lastId);
          this.tell({ kind: 'heard', lastId });
        },
        onFresh: () => {
          this.listener.onFresh();
          this.tell({ kind: 'fresh' });
        },
      },
      this.lastId,
    );
    this.connection.start();
    return new Promise((resolve) => this.stopped.signal.addEventListener('abort', () => resolve()));
  }

  private hear(message: TabMessage): void {
    if (this.stopped.signal.aborted) return;
    if (this.connection) {
      if (message.kind === 'hello') this.tell({ kind: 'state', state: this.state, lastId: this.lastId });
      if (message.kind === 'wake') this.connection.wake();
      return;
    }
    if (message.kind === 'hello' || message.kind === 'wake') return;
    this.expectWord();
    switch (message.kind) {
      case 'frames':
        this.lastId = message.frames.at(-1)?.id || this.lastId;
        this.listener.onFrames(message.frames);
        break;
      case 'state':
        this.lastId = message.lastId || this.lastId;
        this.setState(message.state);
        this.join(message.lastId);
        break;
      case 'heard':
        this.lastId = message.lastId || this.lastId;
        this.listener.onHeard(this.lastId);
        this.join(message.lastId);
        break;
      case 'fresh':
        this.joined = true;
        this.listener.onFresh();
        break;
    }
  }

  /** The reader had come so far when this tab began to listen. What was fetched before that may lack what only the others heard. */
  private join(heard: string): void {
    if (this.joined || heard === '') return;
    this.joined = true;
    void this.port.from().then((fetched) => {
      if (fetched !== '' && isBefore(fetched, heard) && !this.stopped.signal.aborted) this.listener.onFresh();
    });
  }

  private setState(state: LiveState): void {
    this.state = state;
    this.listener.onState(state);
  }

  /** The reader passes on at least a comment every 15 s, and says how it fares when it has none. */
  private expectWord(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      if (this.stopped.signal.aborted || this.connection) return;
      // A tab in the background is not waited for by anybody; it looks again when it comes to the front.
      if (document.hidden) this.expectWord();
      else this.takeLock();
    }, silenceMs + 5000);
  }
}
