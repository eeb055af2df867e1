import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { signedIn } from '@/test/session';
import * as session from './session';
import { startSessionRenewal } from './sessionRenewal';

const { storageKey, useSession } = session;
const minute = 60_000;
let stop: () => void = () => undefined;
let renewal: ReturnType<typeof vi.spyOn>;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 6) });
  renewal = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    const data = {
      accessToken: 'access-2',
      refreshToken: 'refresh-2',
      userId: 7,
      expiresTime: Date.now() + 30 * minute,
    };
    return new Response(JSON.stringify({ code: 200, data, msg: '' }));
  });
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

const token = () => useSession.getState().session?.accessToken;

function visible(state: 'visible' | 'hidden') {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
  document.dispatchEvent(new Event('visibilitychange'));
}

describe('the session of an open page', () => {
  it('is renewed two minutes before it expires, each time', async () => {
    signedIn();
    stop = startSessionRenewal();
    await vi.advanceTimersByTimeAsync(28 * minute - 1);
    expect(renewal).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(renewal).toHaveBeenCalledTimes(1);
    expect(token()).toBe('access-2');
    await vi.advanceTimersByTimeAsync(28 * minute);
    expect(renewal).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['nobody after a sign-out', null, null],
    ['nobody after the server ended the session', '{"ended":"lost"}', null],
    ['the user who has signed in since', 8, 8],
    ['the user who was signed in', 7, 7],
  ])('after the back button restores the page, belongs to %s', (_, kept, user) => {
    const session = signedIn();
    stop = startSessionRenewal();
    // Another tab changes storage; a page in the back/forward cache is not notified.
    if (kept === null) localStorage.removeItem(storageKey);
    else {
      const text = typeof kept === 'string' ? kept : JSON.stringify({ ...session, userId: kept });
      localStorage.setItem(storageKey, text);
    }
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }));
    expect(useSession.getState().session?.userId).toBe(7);
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    expect(useSession.getState().session?.userId ?? null).toBe(user);
  });

  it('is renewed on waking if it was due while the machine slept', async () => {
    signedIn();
    stop = startSessionRenewal();
    // Timers stop during sleep, clocks do not.
    vi.setSystemTime(Date.now() + 29 * minute);
    visible('hidden');
    await vi.advanceTimersByTimeAsync(0);
    expect(renewal).not.toHaveBeenCalled();
    visible('visible');
    await vi.advanceTimersByTimeAsync(0);
    expect(token()).toBe('access-2');
  });

  it('is not renewed on waking before it is due', async () => {
    signedIn();
    stop = startSessionRenewal();
    visible('visible');
    await vi.advanceTimersByTimeAsync(0);
    expect(renewal).not.toHaveBeenCalled();
  });

  it('is renewed later if the server could not be reached', async () => {
    signedIn({ renewAt: Date.now() });
    renewal.mockRejectedValueOnce(new TypeError('no network'));
    stop = startSessionRenewal();
    await vi.advanceTimersByTimeAsync(0);
    expect(token()).toBe('access-1');
    await vi.advanceTimersByTimeAsync(15_000);
    expect(token()).toBe('access-2');
    expect(renewal).toHaveBeenCalledTimes(2);
  });

  it('is renewed at once when the connection is back', async () => {
    signedIn({ renewAt: Date.now() });
    renewal.mockRejectedValueOnce(new TypeError('no network'));
    stop = startSessionRenewal();
    await vi.advanceTimersByTimeAsync(0);
    window.dispatchEvent(new Event('online'));
    await vi.advanceTimersByTimeAsync(0);
    expect(token()).toBe('access-2');
  });

  it('is renewed from sign-in on, and no more after signing out', async () => {
    stop = startSessionRenewal();
    await vi.advanceTimersByTimeAsync(60 * minute);
    expect(renewal).not.toHaveBeenCalled();
    signedIn();
    useSession.setState({ session: null, ended: 'quit' });
    await vi.advanceTimersByTimeAsync(60 * minute);
    expect(renewal).not.toHaveBeenCalled();
  });

  it('follows other tabs', () => {
    const other = { ...signedIn(), accessToken: 'access-9' };
    stop = startSessionRenewal();
    window.dispatchEvent(new StorageEvent('storage', { key: 'else', newValue: null }));
    expect(token()).toBe('access-1');
    window.dispatchEvent(new StorageEvent('storage', { key: storageKey, newValue: JSON.stringify(other) }));
    expect(token()).toBe('access-9');
    window.dispatchEvent(new StorageEvent('storage', { key: storageKey, newValue: null }));
    expect(token()).toBeUndefined();
  });

  it('is not renewed after the stop', async () => {
    signedIn();
    startSessionRenewal()();
    await vi.advanceTimersByTimeAsync(60 * minute);
    window.dispatchEvent(new StorageEvent('storage', { key: storageKey, newValue: null }));
    expect(renewal).not.toHaveBeenCalled();
    expect(token()).toBe('access-1');
  });
});
