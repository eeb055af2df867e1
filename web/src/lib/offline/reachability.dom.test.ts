import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  noteAnswer,
  noteLateAnswer,
  noteNetworkChange,
  noteNoAnswer,
  noteStream,
  useReachability,
} from './reachability';

const reach = () => useReachability.getState().reach;
let network = true;

beforeEach(() => {
  network = true;
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => network);
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe('whether the server is heard of', () => {
  it('one call that is not answered among others says nothing', () => {
    noteAnswer();
    noteNoAnswer();
    expect(reach()).toBe('online');
    vi.advanceTimersByTime(5_000);
    noteNoAnswer();
    expect(reach()).toBe('silent');
    noteAnswer();
    expect(reach()).toBe('online');
  });

  it('nor does any while the live stream is open', () => {
    noteStream(true);
    vi.advanceTimersByTime(60_000);
    noteNoAnswer();
    expect(reach()).toBe('online');
    noteStream(false);
    noteNoAnswer();
    expect(reach()).toBe('silent');
    noteStream(true);
    expect(reach()).toBe('online');
  });

  it('a machine without a network is offline at once, and asks when it has one', () => {
    noteAnswer();
    network = false;
    noteNetworkChange();
    expect(reach()).toBe('offline');
    noteLateAnswer();
    expect(reach()).toBe('offline');
    network = true;
    noteNetworkChange();
    expect(reach()).toBe('slow');
    noteAnswer();
    expect(reach()).toBe('online');
  });

  it('an answer proves more than what the machine believes', () => {
    network = false;
    noteNetworkChange();
    noteAnswer();
    expect(reach()).toBe('online');
  });

  it('a late answer is slow until it comes', () => {
    noteLateAnswer();
    expect(reach()).toBe('slow');
    noteAnswer();
    expect(reach()).toBe('online');
  });
});
