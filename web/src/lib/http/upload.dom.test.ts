import { delay, HttpResponse } from 'msw';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { gate } from '@/test/gate';
import { ok, onPost, refused } from '@/test/server';
import { sendForm, uploadTimeoutMs } from './upload';

const path = '/file';
const parts = { file: new File(['x'.repeat(1000)], 'x.png') };

afterEach(() => {
  vi.useRealTimers();
});

describe('a form with a file', () => {
  it('reports its progress up to 1', async () => {
    onPost(path, async ({ request }) => {
      await request.formData();
      return ok('done');
    });
    const shares: number[] = [];
    const answer = await sendForm({ path, parts, onProgress: (share) => shares.push(share) });
    expect(answer.data).toBe('done');
    expect(shares.at(-1)).toBe(1);
    expect([...shares].sort((a, b) => a - b)).toEqual(shares);
  });

  it('omits an undefined part', async () => {
    let names: string[] = [];
    onPost(path, async ({ request }) => {
      names = [...(await request.formData()).keys()];
      return ok(true);
    });
    await sendForm({ path, parts: { ...parts, crop: undefined } });
    expect(names).toEqual(['file']);
  });

  it.each([
    ['a refusal', () => refused(601, 'Too large', { limit: 5 }), { kind: 'business', code: 601, msg: 'Too large' }],
    ['a status', () => HttpResponse.html('<h1>no</h1>', { status: 413 }), { kind: 'status', code: 413 }],
    ['no connection', () => HttpResponse.error(), { kind: 'network', code: 0 }],
  ])('fails as other calls do: %s', async (_, answer, failure) => {
    onPost(path, answer);
    await expect(sendForm({ path, parts })).rejects.toMatchObject(failure);
  });

  it('waits longer than other calls, but not forever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const arrived = gate();
    onPost(path, async () => {
      arrived.open();
      await delay('infinite');
    });
    const ended = vi.fn();
    const failure = sendForm({ path, parts }).catch((error: unknown) => {
      ended();
      return error;
    });
    await arrived.passed;
    await vi.advanceTimersByTimeAsync(uploadTimeoutMs - 1);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await failure).toMatchObject({ kind: 'timeout', code: 0 });
  });

  it('rejects with the abort reason when the caller aborts, before or during', async () => {
    const arrived = gate();
    onPost(path, async () => {
      arrived.open();
      await delay('infinite');
    });
    const caller = new AbortController();
    const failure = sendForm({ path, parts, signal: caller.signal }).catch((error: unknown) => error);
    await arrived.passed;
    caller.abort();
    expect(await failure).toMatchObject({ name: 'AbortError' });
    await expect(sendForm({ path, parts, signal: caller.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });
});
