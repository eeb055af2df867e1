import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { signedIn } from '@/test/session';
import { readCodeWait, startCodeWait, useCodeWaitSeconds } from './codeWait';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-21T12:00:00.250') });
  signedIn();
  readCodeWait();
});
afterEach(() => {
  vi.useRealTimers();
});

const seconds = () => renderHook(() => useCodeWaitSeconds());
const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it('counts down from sixty seconds and then allows another code', async () => {
  const { result } = seconds();
  expect(result.current).toBe(0);
  act(startCodeWait);
  expect(result.current).toBe(60);
  await advance(999);
  expect(result.current).toBe(60);
  await advance(1);
  expect(result.current).toBe(59);
  await advance(58_000);
  expect(result.current).toBe(1);
  await advance(1000);
  expect(result.current).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

it('continues after the dialog was closed and the page reloaded', async () => {
  const first = seconds();
  act(startCodeWait);
  first.unmount();
  await advance(20_500);
  act(readCodeWait);
  const again = seconds();
  expect(again.result.current).toBe(40);
  await advance(500);
  expect(again.result.current).toBe(39);
});

it('is correct as soon as a sleeping page wakes', () => {
  act(startCodeWait);
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(seconds().result.current).toBe(0);
});

it('applies to the user who requested the code, not to the next one', () => {
  act(startCodeWait);
  act(() => {
    signedIn({ userId: 8 });
  });
  expect(seconds().result.current).toBe(0);
});

it('ignores a clock that was set back and foreign content of the storage', () => {
  act(startCodeWait);
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(seconds().result.current).toBe(0);
  for (const text of ['{', 'null', '{"userId":"7","until":1}']) {
    sessionStorage.setItem('tilth.code-wait', text);
    act(readCodeWait);
    expect(seconds().result.current, text).toBe(0);
  }
});
