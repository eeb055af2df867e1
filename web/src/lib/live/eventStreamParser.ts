import { createParser } from 'eventsource-parser';

/** One event of the stream. */
export interface StreamEvent {
  /** The event's name; `message` where the stream gives none. */
  name: string;
  data: string;
  /** The position in the stream after this event; empty while the stream has given none. */
  id: string;
}

export interface ParserListener {
  onEvent: (streamEvent: StreamEvent) => void;
  /** The stream's position changed, with an event or without one. */
  onId?: (id: string) => void;
  /** The server asks clients to wait this long before they reconnect, in milliseconds. */
  onRetry?: (ms: number) => void;
}

/**
 * Parses one stream of server-sent events (text/event-stream), whose text may arrive in pieces cut
 * anywhere. As the HTML standard says, and unlike the library, an event without an id has that of
 * the one before.
 */
export function createEventStreamParser({ onEvent, onId, onRetry }: ParserListener): { feed: (piece: string) => void } {
  let lastId = '';
  return createParser({
    onId: (id) => {
      if (id === lastId) return;
      lastId = id;
      onId?.(id);
    },
    onEvent: ({ event, data }) => onEvent({ name: event ?? 'message', data, id: lastId }),
    onRetry,
  });
}
