import type { paths } from '@/api/schema.gen';
import { withSession } from './api';
import { begin } from './coming';

/** The calls that answer a line of JSON after the other. */
export type LinesPath = {
  [P in keyof paths]: paths[P] extends {
    post: { responses: { 200: { content: { 'application/x-ndjson': unknown } } } };
  }
    ? P
    : never;
}[keyof paths];

type BodyOf<P extends LinesPath> = paths[P]['post']['requestBody']['content']['application/json'];

interface Lines<P extends LinesPath> {
  path: P;
  body: BodyOf<P>;
  signal?: AbortSignal;
}

/** The server writes a line for whatever takes it seconds; waiting for its turn among others may take longer. */
export const silenceMs = 60_000;

/**
 * Asks for lines and gives them as they come, those that came together at once. Fails as `send` does, before the first one or in the
 * middle. Whoever stops listening, or aborts the signal, ends the request itself.
 */
export async function* lines<T, P extends LinesPath = LinesPath>({
  path,
  body,
  signal,
}: Lines<P>): AsyncGenerator<T[]> {
  const left = new AbortController();
  const ends = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
  const coming = await withSession((headers) =>
    begin({ method: 'POST', path, body, headers, signal: ends }, silenceMs),
  );
  try {
    const reader = coming.response.body?.getReader();
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      coming.heard();
      rest += decoder.decode(value, { stream: !done });
      const whole = rest.split('\n');
      rest = done ? '' : (whole.pop() ?? '');
      // An empty one says that it goes on.
      const told = whole.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
      if (told.length > 0) yield told;
      if (done) return;
    }
  } catch (error) {
    throw coming.failure(error);
  } finally {
    coming.over();
    left.abort();
  }
}
