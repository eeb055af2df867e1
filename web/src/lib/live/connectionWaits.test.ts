import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openConnection } from '@/test/connection';
import { LiveConnection, silenceMs } from './connection';

/** Runs pending promises and the timers of that time. */
const advance = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1);
});

afterEach(() => vi.useRealTimers());

describe('a live connection that fails', () => {
  it('waits longer and longer while nothing answers, at most half a minute', async () => {
    const { connection, answers, open, states } = openConnection();
    for (let i = 0; i < 12; i++) answers.push(new TypeError('Failed to fetch'));
    await advance();
    const waits: number[] = [];
    let asked = Date.now();
    open.mockImplementation(async () => {
      waits.push(Date.now() - asked);
      asked = Date.now();
      throw new TypeError('Failed to fetch');
    });
    await advance(120_000);
    expect(waits.slice(0, 7)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(new Set(states)).toEqual(new Set(['connecting', 'offline']));
    connection.stop();
  });

  it('jitters its waits', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { connection, answers, open } = openConnection();
    answers.push(new TypeError('Failed to fetch'));
    await advance(499);
    expect(open).toHaveBeenCalledTimes(1);
    await advance(1);
    expect(open).toHaveBeenCalledTimes(2);
    connection.stop();
  });

  it('waits as long as a busy server asks', async () => {
    const { connection, answers, open } = openConnection();
    answers.push(new Response('{"code":503}', { status: 503, headers: { 'Retry-After': '20' } }));
    await advance(19_999);
    expect(open).toHaveBeenCalledTimes(1);
    await advance(1);
    expect(open).toHaveBeenCalledTimes(2);
    connection.stop();
  });

  it('uses the stream’s retry time', async () => {
    const { connection, newest, streams } = openConnection();
    await advance();
    newest()?.write('retry: 5000\n\n');
    await advance();
    newest()?.end();
    await advance(4999);
    expect(streams).toHaveLength(1);
    await advance(1);
    expect(streams).toHaveLength(2);
    connection.stop();
  });

  it('closes a silent stream; a comment is not silence', async () => {
    const { connection, newest, streams, states, onHeard } = openConnection();
    await advance();
    await advance(silenceMs - 1);
    newest()?.write(': still here\n\n');
    await advance();
    expect(onHeard).toHaveBeenCalledTimes(2);
    await advance(silenceMs - 1);
    expect(streams).toHaveLength(1);
    await advance(1);
    expect(streams[0]?.signal.aborted).toBe(true);
    expect(states.at(-1)).toBe('offline');
    await advance(1000);
    expect(streams).toHaveLength(2);
    connection.stop();
  });

  it('gives up an attempt without an answer', async () => {
    const open = vi.fn(
      (_token: string, _id: string, signal: AbortSignal) =>
        new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const listener = { onStreamEvents: vi.fn(), onState: vi.fn(), onFreshStart: vi.fn(), onActivity: vi.fn() };
    const connection = new LiveConnection(
      { token: async () => 'a', renew: async () => 'b', startPosition: async () => '', open },
      listener,
    );
    connection.start();
    await advance(9999);
    expect(open).toHaveBeenCalledTimes(1);
    await advance(1 + 1000);
    expect(open).toHaveBeenCalledTimes(2);
    connection.stop();
  });
});
