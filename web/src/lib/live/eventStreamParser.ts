/** One event of the stream. */
export interface StreamEvent {
  /** The event's name; `message` where the stream gives none. */
  name: string;
  data: string;
  /** The position in the stream after this event; empty while the stream has given none. */
  id: string;
}

export interface ParserListener {
  onEvent: (frame: StreamEvent) => void;
  /** The stream's position changed, with an event or without one. */
  onId?: (id: string) => void;
  /** The server asks clients to wait this long before they reconnect, in milliseconds. */
  onRetry?: (ms: number) => void;
}

/**
 * Parses server-sent events as the HTML standard describes them (text/event-stream). The text may
 * arrive in pieces cut anywhere: between carriage return and line feed, within a field, between
 * events.
 */
export class EventStreamParser {
  private readonly listener: ParserListener;
  private line = '';
  private name = '';
  private data: string[] = [];
  private lastId = '';
  /** Takes effect at the blank line: an event that is cut off before it does not count. */
  private nextId = '';
  /**
   * A carriage return ended the last piece: a line feed that follows belongs to the same line end.
   */
  private skipLineFeed = false;
  private first = true;

  constructor(listener: ParserListener) {
    this.listener = listener;
  }

  feed(piece: string): void {
    let text = piece;
    if (text === '') return;
    if (this.first) {
      this.first = false;
      if (text.startsWith('\uFEFF')) text = text.slice(1);
    }
    if (this.skipLineFeed && text.startsWith('\n')) text = text.slice(1);
    this.skipLineFeed = piece.endsWith('\r');

    const lines = text.split(/\r\n|\n|\r/);
    // The text after the last line end is an incomplete line.
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      this.parseLine(this.line + line);
      this.line = '';
    }
    this.line += rest;
  }

  private parseLine(line: string): void {
    if (line === '') {
      this.dispatch();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return; // a comment, which only keeps the connection alive
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    switch (field) {
      case 'event':
        this.name = value;
        break;
      case 'data':
        this.data.push(value);
        break;
      case 'id':
        if (!value.includes('\0')) this.nextId = value;
        break;
      case 'retry':
        if (/^\d+$/.test(value)) this.listener.onRetry?.(Number(value));
        break;
    }
  }

  private dispatch(): void {
    if (this.nextId !== this.lastId) {
      this.lastId = this.nextId;
      this.listener.onId?.(this.lastId);
    }
    const { name, data } = this;
    this.name = '';
    this.data = [];
    if (data.length === 0) return;
    this.listener.onEvent({ name: name || 'message', data: data.join('\n'), id: this.lastId });
  }
}
