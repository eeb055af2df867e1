import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Debouncer } from './debouncer';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => vi.useRealTimers());

describe('a debounce', () => {
  it('waits until it is quiet', () => {
    const call = vi.fn();
    const debounce = new Debouncer(call, 100, 1000);
    debounce.request();
    vi.advanceTimersByTime(90);
    debounce.request();
    vi.advanceTimersByTime(99);
    expect(call).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('does not wait forever', () => {
    const call = vi.fn();
    const debounce = new Debouncer(call, 100, 1000);
    for (let i = 0; i < 50; i++) {
      debounce.request();
      vi.advanceTimersByTime(50);
    }
    expect(call).toHaveBeenCalledTimes(2);
  });

  it('can be cancelled', () => {
    const call = vi.fn();
    const debounce = new Debouncer(call, 100, 1000);
    debounce.request();
    debounce.cancel();
    vi.advanceTimersByTime(5000);
    expect(call).not.toHaveBeenCalled();
  });
});
