import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect } from '@/test/connection';
import { envelope, fakeStreams } from '@/test/stream';
import { LiveConnection, type LiveState, silenceMs } from './connection';

/** Lets what waits for promises and timers of that time go on. */
const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1);
});

afterEach(() => vi.useRealTimers());

describe('a live connection', () => {
  it('opens with the token and tells what comes', async () => {
    const { connection, newest, frames, states, onFresh } = connect();
    await pass();
    expect(newest()?.token).toBe('token-1');
    expect(newest()?.lastEventId).toBe('');
    expect(states).toEqual(['connecting', 'live']);
    expect(onFresh).toHaveBeenCalledTimes(1);
    newest()?.write('id: e-0\n\nid: e-1\nevent: reading\ndata: 1\n\n');
    await pass();
    expect(frames).toEqual([{ name: 'reading', data: '1', id: 'e-1' }]);
    connection.stop();
  });

  it('resumes after a cut by the last id, and says nothing of a fresh start', async () => {
    const { connection, newest, streams, onFresh, states } = connect();
    await pass();
    newest()?.write('id: e-5\nevent: reading\ndata: 1\n\n');
    await pass();
    newest()?.end();
    await pass(999);
    expect(streams).toHaveLength(1);
    await pass(1);
    expect(streams).toHaveLength(2);
    expect(newest()?.lastEventId).toBe('e-5');
    expect(onFresh).toHaveBeenCalledTimes(1);
    expect(states).toEqual(['connecting', 'live', 'connecting', 'live']);
    connection.stop();
  });

  it('resumes from where another left off', async () => {
    const { connection, newest, onFresh } = connect('e-41');
    await pass();
    expect(newest()?.lastEventId).toBe('e-41');
    expect(onFresh).not.toHaveBeenCalled();
    connection.stop();
  });

  it('opens from what was answered before, and asks for nothing anew', async () => {
    const from = vi.fn(async () => 'e-6');
    const { connection, newest, onFresh, onHeard, answers, open } = connect('', from);
    answers.push(new TypeError('Failed to fetch'));
    await pass();
    expect(open.mock.lastCall?.[1]).toBe('e-6');
    await pass(1000);
    expect(newest()?.lastEventId).toBe('e-6');
    expect(onHeard).toHaveBeenCalledWith('e-6');
    expect(from).toHaveBeenCalledTimes(1);
    newest()?.write('id: e-7\nevent: reading\ndata: 1\n\n');
    await pass();
    newest()?.end();
    await pass(1000);
    expect(newest()?.lastEventId).toBe('e-7');
    expect(onFresh).not.toHaveBeenCalled();
    connection.stop();
  });

  it('looks again for where to open from while nothing has told', async () => {
    let known = '';
    const { connection, newest, answers, onFresh } = connect('', async () => known);
    answers.push(new TypeError('Failed to fetch'));
    await pass();
    known = 'e-9';
    await pass(1000);
    expect(newest()?.lastEventId).toBe('e-9');
    expect(onFresh).not.toHaveBeenCalled();
    connection.stop();
  });

  it('does not open once it is stopped, whatever is answered then', async () => {
    let answer: (position: string) => void = () => undefined;
    const answered = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const { connection, open } = connect('', () => answered);
    await pass();
    connection.stop();
    answer('e-1');
    await pass(60_000);
    expect(open).not.toHaveBeenCalled();
  });

  it('hands a reset on, like any event', async () => {
    const { connection, newest, frames } = connect('old-1');
    await pass();
    newest()?.write('event: reset\ndata: {}\n\n');
    await pass();
    expect(frames.map(({ name }) => name)).toEqual(['reset']);
    connection.stop();
  });

  it('renews an expired session and comes back at once, where it was', async () => {
    const { connection, newest, streams, renew, frames } = connect();
    await pass();
    newest()?.write('id: e-2\nevent: reading\ndata: 1\n\nevent: expired\ndata: {}\n\n');
    await pass();
    expect(renew).toHaveBeenCalledWith('token-1');
    expect(streams).toHaveLength(2);
    expect(newest()).toMatchObject({ token: 'token-1+', lastEventId: 'e-2' });
    expect(frames.map(({ name }) => name)).toEqual(['reading']);
    connection.stop();
  });

  it('stops for good when the session is over', async () => {
    const { newest, renew, states, streams } = connect();
    await pass();
    renew.mockResolvedValue(null);
    newest()?.write('event: expired\ndata: {}\n\n');
    await pass(120_000);
    expect(states.at(-1)).toBe('offline');
    expect(streams).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('comes back when the session could not be renewed just then', async () => {
    const { connection, newest, renew, streams } = connect();
    await pass();
    renew.mockRejectedValueOnce(new Error('no network'));
    newest()?.write('event: expired\ndata: {}\n\n');
    await pass(1000);
    expect(streams).toHaveLength(2);
    connection.stop();
  });

  it('renews after a refusal, and does not ask in a circle', async () => {
    const { connection, answers, open, renew } = connect();
    answers.push(envelope(401), envelope(401), envelope(401));
    await pass();
    expect(renew).toHaveBeenCalledTimes(2);
    // Refused with the new token too: from now on it waits.
    expect(open).toHaveBeenCalledTimes(2);
    await pass(999);
    expect(open).toHaveBeenCalledTimes(2);
    await pass(1);
    expect(open).toHaveBeenCalledTimes(3);
    connection.stop();
  });

  it('comes back at once when the network does', async () => {
    const { connection, answers, open } = connect();
    for (let i = 0; i < 4; i++) answers.push(new TypeError('Failed to fetch'));
    await pass(8000);
    const before = open.mock.calls.length;
    connection.wake();
    await pass();
    expect(open).toHaveBeenCalledTimes(before + 1);
    connection.stop();
  });

  it('does not trust a stream over which the machine has slept', async () => {
    const { connection, streams } = connect();
    await pass();
    connection.wake();
    await pass();
    expect(streams).toHaveLength(1);
    vi.setSystemTime(Date.now() + silenceMs + 1);
    connection.wake();
    await pass();
    expect(streams[0]?.signal.aborted).toBe(true);
    expect(streams).toHaveLength(2);
    connection.stop();
  });

  it('ends the stream and all waiting when it is stopped', async () => {
    const { connection, newest, states, open } = connect();
    await pass();
    connection.stop();
    await pass(120_000);
    expect(newest()?.signal.aborted).toBe(true);
    expect(states).toEqual(['connecting', 'live']);
    expect(open).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not open without somebody signed in', async () => {
    const server = fakeStreams();
    const states: LiveState[] = [];
    const port = { token: async () => null, renew: async () => null, from: async () => '', open: server.open };
    const listener = {
      onFrames: vi.fn(),
      onState: (state: LiveState) => states.push(state),
      onFresh: vi.fn(),
      onHeard: vi.fn(),
    };
    new LiveConnection(port, listener).start();
    await pass(60_000);
    expect(server.open).not.toHaveBeenCalled();
    expect(states).toEqual(['connecting', 'offline']);
  });
});
