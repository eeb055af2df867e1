import type { paths } from '@/api/schema.gen';
import { withSession } from './api';
import { openResponseStream } from './responseStream';

/** The calls that answer a line of JSON after the other. */
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

/** The server writes a line for whatever takes it seconds; waiting for its turn among others may take longer. */
export const idleTimeoutMs = 60_000;

/**
 * Asks for lines and gives them as they come, those that came together at once. Fails as `send` does, before the first one or in the
 * middle. Whoever stops listening, or aborts the signal, ends the request itself.
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
      // An empty one says that it goes on.
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
