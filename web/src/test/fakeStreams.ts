import { vi } from 'vitest';

/** A stream of events that a test writes, ends or breaks. */
export interface FakeStream {
  token: string;
  lastEventId: string;
  signal: AbortSignal;
  write: (text: string) => void;
  end: () => void;
}

type Answer = 'stream' | Response | Error;

/**
 * A fake stream server: answers each opening with the next prepared answer, or with a stream when
 * there is none.
 */
export function fakeStreams() {
  const streams: FakeStream[] = [];
  const answers: Answer[] = [];
  const open = vi.fn((token: string, lastEventId: string, signal: AbortSignal): Promise<Response> => {
    const answer = answers.shift() ?? 'stream';
    if (answer instanceof Error) return Promise.reject(answer);
    if (answer !== 'stream') return Promise.resolve(answer);
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        streams.push({
          token,
          lastEventId,
          signal,
          write: (text) => controller.enqueue(encoder.encode(text)),
          end: () => controller.close(),
        });
        signal.addEventListener('abort', () => {
          // A stream that has ended cannot break any more.
          try {
            controller.error(signal.reason);
          } catch {}
        });
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
  });
  return { open, streams, answers, newest: () => streams[streams.length - 1] };
}

export const envelope = (code: number) =>
  new Response(JSON.stringify({ code, data: null, msg: '' }), { headers: { 'Content-Type': 'application/json' } });
