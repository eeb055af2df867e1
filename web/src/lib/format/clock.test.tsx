import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { noteServerTime, now, subscribeClock, useClock, useNow } from './clock';

const start = new Date('2026-11-21T14:05:00').getTime();

beforeEach(() => {
  vi.useFakeTimers({ now: start });
});

afterEach(() => {
  noteServerTime(Date.now());
  vi.useRealTimers();
});

function Minutes({ onDraw }: { onDraw: () => void }) {
  const minutes = useClock((time) => Math.floor((time - start) / 60_000));
  onDraw();
  return <span>{minutes} min</span>;
}

function Step() {
  return <span>{useNow(10_000) - start}</span>;
}

describe('the clock', () => {
  it('follows the server when this machine’s clock is wrong', () => {
    noteServerTime(start + 90_000);
    expect(now()).toBe(start + 90_000);
    vi.advanceTimersByTime(1000);
    expect(now()).toBe(start + 91_000);
  });

  it('does not take network latency for a wrong clock', () => {
    noteServerTime(start + 90_000);
    noteServerTime(start - 1500);
    expect(now()).toBe(start);
  });

  it('runs one timer for all listeners, and none without listeners', () => {
    const stops = [1, 2, 3].map(() => subscribeClock(() => undefined));
    expect(vi.getTimerCount()).toBe(1);
    for (const stop of stops) stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('useClock', () => {
  it('renders again only when its result differs', () => {
    const drawn = vi.fn();
    render(<Minutes onDraw={drawn} />);
    act(() => vi.advanceTimersByTime(59_000));
    expect(drawn).toHaveBeenCalledTimes(1);
    act(() => vi.advanceTimersByTime(1000));
    expect(screen.getByText('1 min')).toBeVisible();
    expect(drawn).toHaveBeenCalledTimes(2);
  });
});

describe('useNow', () => {
  it('goes in steps', () => {
    render(<Step />);
    act(() => vi.advanceTimersByTime(9000));
    expect(screen.getByText('0')).toBeVisible();
    act(() => vi.advanceTimersByTime(2000));
    expect(screen.getByText('10000')).toBeVisible();
  });
});
