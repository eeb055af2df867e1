import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answered, late, noteNetwork, noteStream, unanswered, useReach } from './reach';

const reach = () => useReach.getState().reach;
let network = true;

beforeEach(() => {
  network = true;
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => network);
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe('whether the server is heard of', () => {
  it('one call that is not answered among others says nothing', () => {
    answered();
    unanswered();
    expect(reach()).toBe('online');
    vi.advanceTimersByTime(5_000);
    unanswered();
    expect(reach()).toBe('silent');
    answered();
    expect(reach()).toBe('online');
  });

  it('nor does any while the live stream is open', () => {
    noteStream(true);
    vi.advanceTimersByTime(60_000);
    unanswered();
    expect(reach()).toBe('online');
    noteStream(false);
    unanswered();
    expect(reach()).toBe('silent');
    noteStream(true);
    expect(reach()).toBe('online');
  });

  it('a machine without a network is offline at once, and asks when it has one', () => {
    answered();
    network = false;
    noteNetwork();
    expect(reach()).toBe('offline');
    late();
    expect(reach()).toBe('offline');
    network = true;
    noteNetwork();
    expect(reach()).toBe('slow');
    answered();
    expect(reach()).toBe('online');
  });

  it('an answer proves more than what the machine believes', () => {
    network = false;
    noteNetwork();
    answered();
    expect(reach()).toBe('online');
  });

  it('a late answer is slow until it comes', () => {
    late();
    expect(reach()).toBe('slow');
    answered();
    expect(reach()).toBe('online');
  });
});
