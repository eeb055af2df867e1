import { HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gate } from '@/test/gate';
import { ok, onPost, refused } from '@/test/server';
import { signedIn, tokens } from '@/test/session';
import { accessToken, applyOtherTabSession, renew, signOut, storageKey, useSession } from './session';
import { signIn } from './signIn';

const refreshPath = '/admin-api/system/auth/refresh-token';
const loginPath = '/app-api/member/auth/login-username';
const logoutPath = '/app-api/member/auth/logout';
const minute = 60_000;

const current = () => useSession.getState().session;
const stored = () => JSON.parse(localStorage.getItem(storageKey) ?? 'null');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 21, 6) });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Answers renewals with pair 2, 3, … and records the requests. */
function renewals() {
  const requests: string[] = [];
  onPost(refreshPath, ({ request }) => {
    requests.push(new URL(request.url).searchParams.get('refreshToken') ?? '');
    return ok(tokens(String(requests.length + 1)));
  });
  return requests;
}

describe('signing in', () => {
  const request = { userName: 'demo', password: 'x', tenantName: 'demo', rememberMe: true };

  it('stores the tokens for this tab and for the next', async () => {
    let body: unknown;
    onPost(loginPath, async ({ request: sent }) => {
      body = await sent.json();
      return ok(tokens('new'));
    });
    await signIn(request);
    expect(body).toEqual(request);
    expect(current()).toMatchObject({ accessToken: 'access-new', refreshToken: 'refresh-new', userId: 7 });
    expect(stored()).toEqual(current());
  });

  it('counts the lifetime from the server’s clock, whatever this machine’s clock shows', async () => {
    const serverTime = Date.now() - 3 * 60 * minute;
    onPost(loginPath, () =>
      HttpResponse.json(
        { code: 200, data: { ...tokens('new'), expiresTime: serverTime + 30 * minute }, msg: '' },
        { headers: { Date: new Date(serverTime).toUTCString() } },
      ),
    );
    await signIn(request);
    expect(current()?.expiresAt).toBe(Date.now() + 30 * minute);
    expect(current()?.renewAt).toBe(Date.now() + 28 * minute);
  });

  it('assumes the usual lifetime if the clocks differ by an unknown amount', async () => {
    onPost(loginPath, () => ok({ ...tokens('new'), expiresTime: Date.now() - minute }));
    await signIn(request);
    expect(current()?.expiresAt).toBe(Date.now() + 30 * minute);
  });

  it('passes the refusal on and stores nothing', async () => {
    onPost(loginPath, () => refused(601, 'wrong'));
    await expect(signIn(request)).rejects.toMatchObject({ code: 601, msg: 'wrong' });
    expect(current()).toBeNull();
    expect(stored()).toBeNull();
  });
});

describe('the token for calls', () => {
  it('is null when nobody is signed in', async () => {
    await expect(accessToken()).resolves.toBeNull();
  });

  it('is the current one while it is far from expiry', async () => {
    signedIn();
    await expect(accessToken()).resolves.toBe('access-1');
  });

  it('is renewed first near its expiry, once for all waiting calls', async () => {
    signedIn({ renewAt: Date.now() });
    const requests = renewals();
    await expect(Promise.all([accessToken(), accessToken(), accessToken()])).resolves.toEqual([
      'access-2',
      'access-2',
      'access-2',
    ]);
    expect(requests).toEqual(['refresh-1']);
  });

  it('is the old one while it is valid, if the server does not answer', async () => {
    signedIn({ renewAt: Date.now(), expiresAt: Date.now() + minute });
    onPost(refreshPath, () => HttpResponse.error());
    await expect(accessToken()).resolves.toBe('access-1');
    expect(current()?.accessToken).toBe('access-1');
  });

  it('is an error if it has expired and the server does not answer, and the session stays', async () => {
    signedIn({ renewAt: Date.now() - 2, expiresAt: Date.now() - 1 });
    onPost(refreshPath, () => HttpResponse.error());
    await expect(accessToken()).rejects.toMatchObject({ kind: 'network' });
    expect(current()).not.toBeNull();
  });

  it('is null once the server has ended the session', async () => {
    signedIn({ renewAt: Date.now() });
    onPost(refreshPath, () => refused(401));
    await expect(accessToken()).resolves.toBeNull();
    expect(useSession.getState()).toEqual({ session: null, ended: 'lost' });
    expect(stored()).toEqual({ ended: 'lost' });
  });
});

describe('renewal', () => {
  it('uses the token of a tab that was quicker', async () => {
    signedIn();
    const other = { ...signedIn(), accessToken: 'access-9', refreshToken: 'refresh-9' };
    localStorage.setItem(storageKey, JSON.stringify(other));
    await expect(renew('access-1')).resolves.toBe(false);
    expect(current()).toEqual(other);
  });

  it('waits for the lock among the tabs', async () => {
    signedIn();
    const requests = renewals();
    const answerGate = gate();
    const locked: string[] = [];
    vi.stubGlobal('navigator', {
      ...navigator,
      locks: {
        request: async (name: string, work: () => Promise<unknown>) => {
          locked.push(name);
          await answerGate.passed;
          return work();
        },
      },
    });
    const renewal = renew('access-1');
    // Meanwhile the tab that holds the lock has renewed.
    localStorage.setItem(storageKey, JSON.stringify({ ...signedIn(), accessToken: 'access-9' }));
    answerGate.open();
    await renewal;
    expect(locked).toEqual(['tilth.session']);
    expect(requests).toEqual([]);
    expect(current()?.accessToken).toBe('access-9');
  });

  it('keeps the session on a server fault', async () => {
    signedIn();
    onPost(refreshPath, () => refused(500, 'fault'));
    await expect(renew('access-1')).rejects.toMatchObject({ code: 500 });
    expect(current()?.accessToken).toBe('access-1');
  });
});

describe('another tab', () => {
  it('that signs in, signs this one in', () => {
    const session = signedIn();
    useSession.setState({ session: null, ended: 'lost' });
    applyOtherTabSession(JSON.stringify(session));
    expect(useSession.getState()).toEqual({ session, ended: null });
  });

  it('that lost the session, ends it in this one', async () => {
    signedIn();
    onPost(refreshPath, () => refused(401));
    await renew('access-1');
    const storedText = localStorage.getItem(storageKey);
    signedIn();
    applyOtherTabSession(storedText);
    expect(useSession.getState()).toEqual({ session: null, ended: 'lost' });
  });

  it('that signs out, signs this one out', () => {
    signedIn();
    applyOtherTabSession(null);
    expect(useSession.getState()).toEqual({ session: null, ended: 'quit' });
  });

  it.each(['{', '{"accessToken":1}', '[]', 'null'])('does no harm by storing %s', (text) => {
    applyOtherTabSession(text);
    expect(current()).toBeNull();
  });
});

describe('signing out', () => {
  it('reaches the server with the former token', async () => {
    signedIn();
    let authorization: string | null = null;
    onPost(logoutPath, ({ request }) => {
      authorization = request.headers.get('Authorization');
      return ok(true);
    });
    await signOut();
    expect(authorization).toBe('Bearer access-1');
    expect(useSession.getState()).toEqual({ session: null, ended: 'quit' });
    expect(stored()).toBeNull();
  });

  it('takes effect here at once, whatever the server answers', async () => {
    signedIn();
    onPost(logoutPath, () => HttpResponse.error());
    const done = signOut();
    expect(current()).toBeNull();
    await expect(done).rejects.toMatchObject({ kind: 'network' });
    expect(useSession.getState().ended).toBe('quit');
  });
});
