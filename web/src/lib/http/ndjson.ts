import type { paths } from '@/api/schema.gen';
import { withSession } from './api';
import { openResponseStream } from './responseStream';

/** The calls that stream newline-delimited JSON. */
export type LinesPath = {
  [P in keyof paths]: paths[P] extends {
    post: { responses: { 200: { content: { 'application/x-ndjson': unknown } } } };
  }
    ? P
    : never;
}[keyof paths];

type BodyOf<P extends LinesPath> = paths[P]['post']['requestBody']['content']['application/json'];

interface LinesRequest<P extends LinesPath> {
  path: P;
  body: BodyOf<P>;
  signal?: AbortSignal;
}

/**
 * The server writes a line for anything that takes it seconds; the wait for its turn among other
 * requests may be longer.
 */
export const idleTimeoutMs = 60_000;

/**
 * Requests lines and yields them as they arrive, those that arrived together as one batch. Fails as
 * `send` does, before the first line or in between. The request ends when the caller stops
 * iterating or aborts the signal.
 */
export async function* readLines<T, P extends LinesPath = LinesPath>({
  path,
  body,
  signal,
}: LinesRequest<P>): AsyncGenerator<T[]> {
  const abandoned = new AbortController();
  const stopSignal = signal ? AbortSignal.any([signal, abandoned.signal]) : abandoned.signal;
  const answer = await withSession((headers) =>
    openResponseStream({ method: 'POST', path, body, headers, signal: stopSignal }, idleTimeoutMs),
  );
  try {
    const reader = answer.response.body?.getReader();
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      answer.touch();
      rest += decoder.decode(value, { stream: !done });
      const completeLines = rest.split('\n');
      rest = done ? '' : (completeLines.pop() ?? '');
      // An empty line is a keep-alive.
      const parsed = completeLines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
      if (parsed.length > 0) yield parsed;
      if (done) return;
    }
  } catch (error) {
    throw answer.toError(error);
  } finally {
    answer.close();
    abandoned.abort();
  }
}
