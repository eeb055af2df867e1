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

describe('the reachability of the server', () => {
  it('does not change with one failing call among successful ones', () => {
    noteAnswer();
    noteNoAnswer();
    expect(reach()).toBe('online');
    vi.advanceTimersByTime(5_000);
    noteNoAnswer();
    expect(reach()).toBe('silent');
    noteAnswer();
    expect(reach()).toBe('online');
  });

  it('does not change with failing calls while the live stream is open', () => {
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

  it('is offline at once without a network, and is checked when there is one', () => {
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

  it('is online after an answer, whatever the machine reports', () => {
    network = false;
    noteNetworkChange();
    noteAnswer();
    expect(reach()).toBe('online');
  });

  it('is slow until a late answer arrives', () => {
    noteLateAnswer();
    expect(reach()).toBe('slow');
    noteAnswer();
    expect(reach()).toBe('online');
  });
});
