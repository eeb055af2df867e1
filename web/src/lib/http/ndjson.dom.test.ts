import { HttpResponse, http } from 'msw';
import { describe, expect, it } from 'vitest';
import { gate } from '@/test/gate';
import { refused, server } from '@/test/server';
import { signedIn } from '@/test/session';
import { readLines } from './ndjson';

const path = '/admin-api/client/pc/alarm-rules/rehearse/devices';
const answer = (resolver: Parameters<typeof http.post>[1]) => server.use(http.post(`*${path}`, resolver));
const ask = (signal?: AbortSignal) => readLines<{ n: number }>({ path, body: { executionId: 'WS-1' }, signal });

/** Sends parts of an answer, then its end; or cuts it off. */
function parts(texts: readonly string[], cut?: Promise<void>) {
  const encoder = new TextEncoder();
  const waiting = [...texts];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = waiting.shift();
      if (next !== undefined) return controller.enqueue(encoder.encode(next));
      await cut;
      if (cut) controller.error(new Error('cut'));
      else controller.close();
    },
  });
  return new HttpResponse(body, { headers: { 'Content-Type': 'application/x-ndjson' } });
}

async function collect(asked: AsyncIterable<{ n: number }[]>) {
  const batchSizes: number[] = [];
  for await (const batch of asked) batchSizes.push(...batch.map(({ n }) => n));
  return batchSizes;
}

describe('lines', () => {
  it('are fetched with the session, and arrive whole, however the answer is split', async () => {
    signedIn();
    let asked: Request | undefined;
    let sent: unknown;
    answer(async ({ request }) => {
      asked = request;
      sent = await request.json();
      return parts(['{"n":1}\n{"n"', ':2}\n', '\n\n', '{"n":3}']);
    });
    expect(await collect(ask())).toEqual([1, 2, 3]);
    expect(asked?.headers.get('Authorization')).toMatch(/^Bearer /);
    expect(asked?.headers.get('Content-Type')).toBe('application/json');
    expect(sent).toEqual({ executionId: 'WS-1' });
  });

  it('that are refused fail with the envelope’s sentence', async () => {
    answer(() => refused(601, 'Device: required'));
    await expect(collect(ask())).rejects.toMatchObject({ kind: 'business', code: 601, msg: 'Device: required' });
  });

  it('that are cut off are delivered up to there, and fail', async () => {
    const cut = gate();
    answer(() => parts(['{"n":1}\n', '{"n":2}\n{"n'], cut.passed));
    const batchSizes: number[] = [];
    const listen = async () => {
      for await (const batch of ask()) {
        batchSizes.push(...batch.map(({ n }) => n));
        if (batchSizes.length === 2) cut.open();
      }
    };
    await expect(listen()).rejects.toMatchObject({ kind: 'network' });
    expect(batchSizes).toEqual([1, 2]);
  });

  it.each(['aborts', 'stops listening'])('end when the caller %s', async (how) => {
    const stopped = gate();
    answer(({ request }) => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode('{"n":1}\n'));
          request.signal.addEventListener('abort', () => {
            stopped.open();
            controller.error(new DOMException('left', 'AbortError')); // as a browser does
          });
        },
      });
      return new HttpResponse(body, { headers: { 'Content-Type': 'application/x-ndjson' } });
    });
    const controller = new AbortController();
    const asked = ask(controller.signal);
    expect((await asked.next()).value).toEqual([{ n: 1 }]);
    if (how === 'aborts') {
      controller.abort();
      await expect(asked.next()).rejects.toHaveProperty('name', 'AbortError');
    } else await asked.return(undefined);
    await stopped.passed;
  });
});
