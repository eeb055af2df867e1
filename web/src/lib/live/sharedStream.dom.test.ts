import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeBrowser } from '@/test/fakeBrowser';
import { fakeStreams } from '@/test/fakeStreams';
import { type LiveState, silenceMs } from './connection';
import type { StreamEvent } from './eventStreamParser';
import { openSharedStream, type SharedStream } from './sharedStream';

const advance = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const name = 'tilth.live.7';
let browser: ReturnType<typeof fakeBrowser>;
let server: ReturnType<typeof fakeStreams>;
const open: SharedStream[] = [];

function tab(from: () => Promise<string> = async () => '') {
  const frames: StreamEvent[] = [];
  const states: LiveState[] = [];
  const onFresh = vi.fn();
  const onHeard = vi.fn();
  const stream = openSharedStream(
    name,
    { token: async () => 'token', renew: async () => 'token', startPosition: from, open: server.open },
    {
      onStreamEvents: (received) => frames.push(...received),
      onState: (state) => states.push(state),
      onFreshStart: onFresh,
      onActivity: onHeard,
    },
  );
  open.push(stream);
  return { stream, states, onFresh, onHeard, data: () => frames.map(({ data }) => data) };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(1);
  browser = fakeBrowser();
  server = fakeStreams();
  vi.stubGlobal('BroadcastChannel', browser.BroadcastChannel);
  Object.defineProperty(navigator, 'locks', { value: browser.locks, configurable: true });
});

afterEach(() => {
  for (const stream of open.splice(0)) stream.stop();
  Reflect.deleteProperty(navigator, 'locks');
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('tabs', () => {
  it('share one stream', async () => {
    const [first, second, third] = [tab(), tab(), tab()];
    await advance();
    expect(server.streams).toHaveLength(1);
    server.newest()?.write('id: e-1\ndata: a\n\nid: e-2\ndata: b\n\n');
    await advance();
    for (const one of [first, second, third]) {
      expect(one.data()).toEqual(['a', 'b']);
      expect(one.states.at(-1)).toBe('live');
      expect(one.onFresh).toHaveBeenCalledTimes(1);
    }
  });

  it('receive the current state when they join', async () => {
    tab();
    await advance();
    const late = tab();
    await advance();
    expect(late.states).toEqual(['live']);
    // It listened before it fetched anything: nothing was missed.
    expect(late.onFresh).not.toHaveBeenCalled();
    expect(server.streams).toHaveLength(1);
  });

  it('receive since when readings are not stored when they join, of the open stream only', async () => {
    tab();
    await advance();
    server.newest()?.write('event: storage\ndata: since\n\n');
    await advance();
    const late = tab();
    await advance();
    expect(late.data()).toEqual(['since']);
    server.newest()?.end();
    await advance(60_000);
    const later = tab();
    await advance();
    expect(later.states.at(-1)).toBe('live');
    expect(later.data()).toEqual([]);
  });

  it('read from the first tab’s position, and another that fetched earlier refetches', async () => {
    const first = tab(async () => 'e-4');
    const same = tab(async () => 'e-4');
    const later = tab(async () => 'e-5');
    const earlier = tab(async () => 'e-3');
    await advance();
    expect(server.streams).toHaveLength(1);
    expect(server.newest()?.lastEventId).toBe('e-4');
    expect([first, same, later, earlier].map(({ onFresh }) => onFresh.mock.calls.length)).toEqual([0, 0, 0, 1]);
    // It refetches only once.
    server.newest()?.write('id: e-6\ndata: a\n\n');
    await advance();
    expect(earlier.onFresh).toHaveBeenCalledTimes(1);
    expect(earlier.data()).toEqual(['a']);
  });

  it('that join late refetch only if there were events before they listened', async () => {
    tab(async () => 'e-4');
    await advance();
    server.newest()?.write('id: e-8\ndata: a\n\n');
    await advance();
    const current = tab(async () => 'e-8');
    const behind = tab(async () => 'e-7');
    const fromAnotherRun = tab(async () => 'd-9');
    await advance();
    expect([current, behind, fromAnotherRun].map(({ onFresh }) => onFresh.mock.calls.length)).toEqual([0, 1, 1]);
    expect(server.streams).toHaveLength(1);
  });

  it('resume at the reader’s position when it closes, without a gap', async () => {
    const first = tab();
    const second = tab();
    await advance();
    server.newest()?.write('id: e-8\ndata: a\n\n');
    await advance();
    first.stream.stop();
    await advance();
    expect(server.streams).toHaveLength(2);
    expect(server.newest()?.lastEventId).toBe('e-8');
    server.newest()?.write('id: e-9\ndata: b\n\n');
    await advance();
    expect(second.data()).toEqual(['a', 'b']);
    expect(first.data()).toEqual(['a']);
    expect(second.onFresh).toHaveBeenCalledTimes(1);
  });

  it('know the start position of a stream without events', async () => {
    const first = tab();
    tab();
    await advance();
    server.newest()?.write('id: e-30\n\n');
    server.newest()?.write(': still here\n\n');
    await advance();
    first.stream.stop();
    await advance();
    expect(server.newest()?.lastEventId).toBe('e-30');
  });

  it('in front take over the stream from a frozen tab', async () => {
    const frozen = tab();
    const front = tab();
    await advance();
    server.newest()?.write('id: e-3\ndata: a\n\n');
    await advance();
    // A frozen tab reads nothing and sends nothing: neither events nor its state.
    const heard = front.onHeard.mock.calls.length;
    vi.spyOn(browser.BroadcastChannel.prototype, 'postMessage').mockImplementation(() => undefined);
    await advance(silenceMs - 2000);
    expect(server.streams).toHaveLength(1);
    server.newest()?.write(': only the frozen one hears this\n\n');
    await advance(2000);
    expect(front.onHeard).toHaveBeenCalledTimes(heard);
    await advance(5001);
    expect(server.streams).toHaveLength(2);
    expect(server.newest()?.lastEventId).toBe('e-3');
    expect(server.streams[0]?.signal.aborted).toBe(true);
    expect(frozen.data()).toEqual(['a']);
  });

  it('in the background do not take over', async () => {
    tab();
    tab();
    await advance();
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    vi.spyOn(browser.BroadcastChannel.prototype, 'postMessage').mockImplementation(() => undefined);
    for (let i = 0; i < 8; i++) {
      server.newest()?.write(': still here\n\n');
      await advance(15_000);
    }
    expect(server.streams).toHaveLength(1);
  });

  it('wake the reader, whichever tab woke', async () => {
    tab();
    const second = tab();
    await advance();
    server.answers.push(...Array.from({ length: 5 }, () => new TypeError('Failed to fetch')));
    server.newest()?.end();
    await advance(8000);
    const before = server.open.mock.calls.length;
    second.stream.wake();
    await advance();
    expect(server.open).toHaveBeenCalledTimes(before + 1);
  });

  it('leave no lock and no queued request behind', async () => {
    const tabs = [tab(), tab()];
    await advance();
    expect([browser.held(), browser.waiting(name)]).toEqual([1, 1]);
    for (const { stream } of tabs) stream.stop();
    await advance();
    expect([browser.held(), browser.waiting(name)]).toEqual([0, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a browser without locks', () => {
  it('gives each tab a stream of its own', async () => {
    Reflect.deleteProperty(navigator, 'locks');
    const tabs = [tab(), tab()];
    await advance();
    expect(server.streams).toHaveLength(2);
    server.streams[0]?.write('data: a\n\n');
    await advance();
    expect(tabs.map((tab) => tab.data())).toEqual([['a'], []]);
  });
});
