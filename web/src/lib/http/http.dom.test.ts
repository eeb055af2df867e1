import { delay, HttpResponse } from 'msw';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { gate } from '@/test/gate';
import { ok, onGet, onPost, refused } from '@/test/server';
import { ApiError, buildUrl, send, timeoutMs } from './http';

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );

afterEach(() => {
  vi.useRealTimers();
});

describe('address', () => {
  it('joins lists with commas and omits absent values', () => {
    expect(buildUrl('/x', { names: ['A-1', 'B 2'], groupId: 0, on: false, none: undefined, nil: null })).toBe(
      '/x?names=A-1,B%202&groupId=0&on=false',
    );
  });

  it('escapes user input', () => {
    expect(buildUrl('/x', { deviceName: 'a&b=c/İ?' })).toBe('/x?deviceName=a%26b%3Dc%2F%C4%B0%3F');
  });

  it('adds nothing without a query', () => {
    expect(buildUrl('/x', { a: undefined })).toBe('/x');
  });
});

describe('send', () => {
  it('returns the envelope’s data, and the server’s clock', async () => {
    onGet('/thing', () =>
      HttpResponse.json({ code: 200, data: { a: 1 }, msg: '' }, { headers: { Date: 'Sat, 21 Nov 2026 03:00:00 GMT' } }),
    );
    await expect(send({ method: 'GET', path: '/thing' })).resolves.toEqual({
      data: { a: 1 },
      serverTime: Date.UTC(2026, 10, 21, 3),
    });
  });

  it('sends a body as JSON', async () => {
    let seen: unknown;
    let type: string | null = null;
    onPost('/thing', async ({ request }) => {
      seen = await request.json();
      type = request.headers.get('Content-Type');
      return ok(true);
    });
    await send({ method: 'POST', path: '/thing', body: { name: 'ş' } });
    expect(seen).toEqual({ name: 'ş' });
    expect(type).toBe('application/json');
  });

  it('turns every other code into an error with the server’s sentence', async () => {
    onGet('/thing', () => refused(601, 'Name: taken', { field: 'name' }));
    const error = await failure(send({ method: 'GET', path: '/thing' }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ kind: 'business', code: 601, msg: 'Name: taken', data: { field: 'name' } });
  });

  it('treats only code 200 as success', async () => {
    onGet('/thing', () => refused(0, 'zero'));
    await expect(failure(send({ method: 'GET', path: '/thing' }))).resolves.toMatchObject({
      kind: 'business',
      code: 0,
    });
  });

  it('distinguishes an HTTP status from an envelope', async () => {
    onGet('/thing', () => HttpResponse.json({ code: 503, data: null, msg: 'busy' }, { status: 503 }));
    await expect(failure(send({ method: 'GET', path: '/thing' }))).resolves.toMatchObject({
      kind: 'status',
      code: 503,
      msg: 'busy',
    });
  });

  it.each([
    ['a page', () => HttpResponse.html('<h1>Bad gateway</h1>', { status: 502 }), 502],
    ['something else than an envelope', () => HttpResponse.json([1, 2]), 200],
    ['nothing', () => new HttpResponse(null), 200],
  ])('is not confused by %s', async (_, answer, code) => {
    onGet('/thing', answer);
    await expect(failure(send({ method: 'GET', path: '/thing' }))).resolves.toMatchObject({ kind: 'status', code });
  });

  it('reports a missing connection', async () => {
    onGet('/thing', () => HttpResponse.error());
    await expect(failure(send({ method: 'GET', path: '/thing' }))).resolves.toMatchObject({ kind: 'network', code: 0 });
  });

  it('gives up after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const arrived = gate();
    onGet('/thing', async () => {
      arrived.open();
      await delay('infinite');
    });
    const error = failure(send({ method: 'GET', path: '/thing' }));
    await arrived.passed;
    vi.advanceTimersByTime(timeoutMs - 1);
    let settled = false;
    void error.then(() => {
      settled = true;
    });
    await Promise.resolve();
    expect(settled).toBe(false);
    vi.advanceTimersByTime(1);
    await expect(error).resolves.toMatchObject({ kind: 'timeout', code: 0 });
  });

  it('measures the time to the first byte, then from each to the next', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const slow = () => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const line = writable.getWriter();
      vi.spyOn(globalThis, 'fetch').mockImplementationOnce(async (_, init) => {
        init?.signal?.addEventListener('abort', () => line.abort(init.signal?.reason));
        return new Response(readable);
      });
      return { line, answer: send({ method: 'GET', path: '/thing' }) };
    };
    const { line, answer } = slow();
    const bytes = new TextEncoder().encode('{"code":200,"data":"şehir","msg":""}');
    const middle = bytes.indexOf(0xc5) + 1;
    for (const part of [bytes.slice(0, 5), bytes.slice(5, middle), bytes.slice(middle)]) {
      await vi.advanceTimersByTimeAsync(timeoutMs - 1);
      await line.write(part);
    }
    await line.close();
    await expect(answer).resolves.toMatchObject({ data: 'şehir' });

    const stuck = slow();
    const error = failure(stuck.answer);
    await stuck.line.write(bytes.slice(0, 5));
    await vi.advanceTimersByTimeAsync(timeoutMs);
    await expect(error).resolves.toMatchObject({ kind: 'timeout', code: 0 });
  });

  it('rejects with the abort reason when the caller aborts', async () => {
    const arrived = gate();
    onGet('/thing', async () => {
      arrived.open();
      await delay('infinite');
    });
    const caller = new AbortController();
    const error = failure(send({ method: 'GET', path: '/thing', signal: caller.signal }));
    await arrived.passed;
    caller.abort();
    expect(await error).not.toBeInstanceOf(ApiError);
    expect(await error).toMatchObject({ name: 'AbortError' });
  });
});
