import { HttpResponse, http } from 'msw';
import { describe, expect, it, vi } from 'vitest';
import { gate } from '@/test/gate';
import { refused, server } from '@/test/server';
import { signedIn } from '@/test/session';
import { download, saveFile } from './download';

const path = '/admin-api/file';
const answer = (resolver: Parameters<typeof http.get>[1]) => server.use(http.get(`*${path}`, resolver));
const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const bytes = (text: string) => new TextEncoder().encode(text);

describe('a file', () => {
  it('is fetched with the session and the query, and reports progress', async () => {
    signedIn();
    let asked: Request | undefined;
    answer(({ request }) => {
      asked = request;
      return new HttpResponse(bytes('12345'), { headers: { 'Content-Type': type, 'Content-Length': '5' } });
    });
    const onProgress = vi.fn();
    const file = await download({ path, query: { a: 1, list: ['x', 'y'] }, onProgress });
    expect(await file.text()).toBe('12345');
    expect(file.type).toBe(type);
    expect(asked?.url).toContain('a=1&list=x,y');
    expect(asked?.headers.get('Authorization')).toMatch(/^Bearer /);
    expect(asked?.headers.get('Accept-Language')).toBe('en-us');
    expect(onProgress).toHaveBeenLastCalledWith(5, 5);
  });

  it('that streams has no known length', async () => {
    answer(() => new HttpResponse(bytes('ab'), { headers: { 'Content-Type': type } }));
    const onProgress = vi.fn();
    await download({ path, onProgress });
    expect(onProgress).toHaveBeenLastCalledWith(2, undefined);
  });

  it('that is refused fails with the envelope’s sentence', async () => {
    answer(() => refused(601, 'The range is too long'));
    await expect(download({ path })).rejects.toMatchObject({
      kind: 'business',
      code: 601,
      msg: 'The range is too long',
    });
    answer(() => HttpResponse.json({ code: 200, data: null, msg: '' }));
    await expect(download({ path })).rejects.toMatchObject({ kind: 'status' });
    answer(() => new HttpResponse('gone', { status: 502 }));
    await expect(download({ path })).rejects.toMatchObject({ kind: 'status', code: 502 });
  });

  it('that breaks off fails', async () => {
    answer(() => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(bytes('half'));
          queueMicrotask(() => controller.error(new Error('cut')));
        },
      });
      return new HttpResponse(body, { headers: { 'Content-Type': type } });
    });
    await expect(download({ path })).rejects.toMatchObject({ kind: 'network' });
  });

  it('that the caller aborts ends the request', async () => {
    const stopped = gate();
    const begun = gate();
    answer(({ request }) => {
      request.signal.addEventListener('abort', () => stopped.open());
      begun.open();
      return new Promise<never>(() => undefined);
    });
    const controller = new AbortController();
    const coming = download({ path, signal: controller.signal });
    await begun.passed;
    controller.abort();
    await expect(coming).rejects.toHaveProperty('name', 'AbortError');
    await stopped.passed;
  });
});

it('the browser receives the file under its name', () => {
  vi.useFakeTimers();
  const [make, revoke] = [vi.fn(() => 'blob:here'), vi.fn()];
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: make, revokeObjectURL: revoke }));
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
    this: HTMLAnchorElement,
  ) {
    expect([this.href, this.download]).toEqual(['blob:here', 'device_data.xlsx']);
  });
  saveFile(new Blob(['x']), 'device_data.xlsx');
  expect(clicked).toHaveBeenCalledOnce();
  vi.runAllTimers();
  expect(revoke).toHaveBeenCalledWith('blob:here');
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
