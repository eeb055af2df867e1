import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openConnection } from '@/test/connection';
import { envelope, fakeStreams } from '@/test/fakeStreams';
import { LiveConnection, type LiveState, silenceMs } from './connection';

/** Runs pending promises and the timers of that time. */
const advance = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1);
});

afterEach(() => vi.useRealTimers());

describe('a live connection', () => {
  it('opens with the token and reports events', async () => {
    const { connection, newest, frames, states, onFresh } = openConnection();
    await advance();
    expect(newest()?.token).toBe('token-1');
    expect(newest()?.lastEventId).toBe('');
    expect(states).toEqual(['connecting', 'live']);
    expect(onFresh).toHaveBeenCalledTimes(1);
    newest()?.write('id: e-0\n\nid: e-1\nevent: reading\ndata: 1\n\n');
    await advance();
    expect(frames).toEqual([{ name: 'reading', data: '1', id: 'e-1' }]);
    connection.stop();
  });

  it('resumes after a cut by the last id, without a fresh start', async () => {
    const { connection, newest, streams, onFresh, states } = openConnection();
    await advance();
    newest()?.write('id: e-5\nevent: reading\ndata: 1\n\n');
    await advance();
    newest()?.end();
    await advance(999);
    expect(streams).toHaveLength(1);
    await advance(1);
    expect(streams).toHaveLength(2);
    expect(newest()?.lastEventId).toBe('e-5');
    expect(onFresh).toHaveBeenCalledTimes(1);
    expect(states).toEqual(['connecting', 'live', 'connecting', 'live']);
    connection.stop();
  });

  it('resumes from another connection’s position', async () => {
    const { connection, newest, onFresh } = openConnection('e-41');
    await advance();
    expect(newest()?.lastEventId).toBe('e-41');
    expect(onFresh).not.toHaveBeenCalled();
    connection.stop();
  });

  it('opens from the earliest position, without a fresh start', async () => {
    const from = vi.fn(async () => 'e-6');
    const { connection, newest, onFresh, onHeard, answers, open } = openConnection('', from);
    answers.push(new TypeError('Failed to fetch'));
    await advance();
    expect(open.mock.lastCall?.[1]).toBe('e-6');
    await advance(1000);
    expect(newest()?.lastEventId).toBe('e-6');
    expect(onHeard).toHaveBeenCalledWith('e-6');
    expect(from).toHaveBeenCalledTimes(1);
    newest()?.write('id: e-7\nevent: reading\ndata: 1\n\n');
    await advance();
    newest()?.end();
    await advance(1000);
    expect(newest()?.lastEventId).toBe('e-7');
    expect(onFresh).not.toHaveBeenCalled();
    connection.stop();
  });

  it('asks again for the start position while none is known', async () => {
    let known = '';
    const { connection, newest, answers, onFresh } = openConnection('', async () => known);
    answers.push(new TypeError('Failed to fetch'));
    await advance();
    known = 'e-9';
    await advance(1000);
    expect(newest()?.lastEventId).toBe('e-9');
    expect(onFresh).not.toHaveBeenCalled();
    connection.stop();
  });

  it('does not open after it is stopped, whatever arrives then', async () => {
    let answer: (position: string) => void = () => undefined;
    const answered = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const { connection, open } = openConnection('', () => answered);
    await advance();
    connection.stop();
    answer('e-1');
    await advance(60_000);
    expect(open).not.toHaveBeenCalled();
  });

  it('passes a reset on like any event', async () => {
    const { connection, newest, frames } = openConnection('old-1');
    await advance();
    newest()?.write('event: reset\ndata: {}\n\n');
    await advance();
    expect(frames.map(({ name }) => name)).toEqual(['reset']);
    connection.stop();
  });

  it('renews an expired session and resumes at once', async () => {
    const { connection, newest, streams, renew, frames } = openConnection();
    await advance();
    newest()?.write('id: e-2\nevent: reading\ndata: 1\n\nevent: expired\ndata: {}\n\n');
    await advance();
    expect(renew).toHaveBeenCalledWith('token-1');
    expect(streams).toHaveLength(2);
    expect(newest()).toMatchObject({ token: 'token-1+', lastEventId: 'e-2' });
    expect(frames.map(({ name }) => name)).toEqual(['reading']);
    connection.stop();
  });

  it('stops for good when the session is over', async () => {
    const { newest, renew, states, streams } = openConnection();
    await advance();
    renew.mockResolvedValue(null);
    newest()?.write('event: expired\ndata: {}\n\n');
    await advance(120_000);
    expect(states.at(-1)).toBe('offline');
    expect(streams).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('reconnects later when the session could not be renewed for now', async () => {
    const { connection, newest, renew, streams } = openConnection();
    await advance();
    renew.mockRejectedValueOnce(new Error('no network'));
    newest()?.write('event: expired\ndata: {}\n\n');
    await advance(1000);
    expect(streams).toHaveLength(2);
    connection.stop();
  });

  it('renews after a refusal, without a loop', async () => {
    const { connection, answers, open, renew } = openConnection();
    answers.push(envelope(401), envelope(401), envelope(401));
    await advance();
    expect(renew).toHaveBeenCalledTimes(2);
    // Refused with the new token too: from now on it waits.
    expect(open).toHaveBeenCalledTimes(2);
    await advance(999);
    expect(open).toHaveBeenCalledTimes(2);
    await advance(1);
    expect(open).toHaveBeenCalledTimes(3);
    connection.stop();
  });

  it('reconnects at once when the network is back', async () => {
    const { connection, answers, open } = openConnection();
    for (let i = 0; i < 4; i++) answers.push(new TypeError('Failed to fetch'));
    await advance(8000);
    const before = open.mock.calls.length;
    connection.wake();
    await advance();
    expect(open).toHaveBeenCalledTimes(before + 1);
    connection.stop();
  });

  it('does not trust a stream after the machine has slept', async () => {
    const { connection, streams } = openConnection();
    await advance();
    connection.wake();
    await advance();
    expect(streams).toHaveLength(1);
    vi.setSystemTime(Date.now() + silenceMs + 1);
    connection.wake();
    await advance();
    expect(streams[0]?.signal.aborted).toBe(true);
    expect(streams).toHaveLength(2);
    connection.stop();
  });

  it('ends the stream and all waits when it is stopped', async () => {
    const { connection, newest, states, open } = openConnection();
    await advance();
    connection.stop();
    await advance(120_000);
    expect(newest()?.signal.aborted).toBe(true);
    expect(states).toEqual(['connecting', 'live']);
    expect(open).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not open when nobody is signed in', async () => {
    const server = fakeStreams();
    const states: LiveState[] = [];
    const transport = {
      token: async () => null,
      renew: async () => null,
      startPosition: async () => '',
      open: server.open,
    };
    const listener = {
      onStreamEvents: vi.fn(),
      onState: (state: LiveState) => states.push(state),
      onFreshStart: vi.fn(),
      onActivity: vi.fn(),
    };
    new LiveConnection(transport, listener).start();
    await advance(60_000);
    expect(server.open).not.toHaveBeenCalled();
    expect(states).toEqual(['connecting', 'offline']);
  });
});
