import 'fake-indexeddb/auto';
import { type QueryClient, QueryObserver } from '@tanstack/react-query';
import { IDBFactory } from 'fake-indexeddb';
import { createStore, keys } from 'idb-keyval';
import { HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { mapQuery } from '@/lib/device/queries';
import { overviewQuery } from '@/lib/http/queries';
import { testClient } from '@/test/renderWithProviders';
import { ok, onGet } from '@/test/server';
import { signedIn } from '@/test/session';
import { overview } from '@/test/telemetryServer';
import { applyOtherTabSession, storageKey, useSession } from '../session/session';
import { shownAsOf, startAnswerCache } from './answerCache';
import { AnswerStore, databaseName } from './answerStore';
import { useReachability } from './reachability';

const path = '/admin-api/client/pc/home/overview-statistics';
const day = 24 * 3_600_000;

const stops: (() => void)[] = [];
beforeEach(() => {
  // Each test has its own browser storage.
  vi.stubGlobal('indexedDB', new IDBFactory());
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The keys in the database. */
const storedAnswers = () => keys<string>(createStore(databaseName, 'answers'));

/** A page with its own client, which uses a query and stores its answer. */
function page(query: object = overviewQuery()) {
  const client: QueryClient = testClient();
  stops.push(startAnswerCache(client));
  const look = () => {
    const stop = new QueryObserver(client, query as never).subscribe(() => undefined);
    stops.push(stop);
  };
  const data = () => client.getQueryData<{ onlineCount: number }>(overviewQuery().queryKey);
  return { client, look, data };
}

/** The page is hidden: it stores its answers. */
function hidePage() {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  document.dispatchEvent(new Event('visibilitychange'));
}

async function shownAnswer() {
  onGet(path, () => ok(overview({ onlineCount: 231 })));
  const { look, data } = page();
  look();
  await expect.poll(() => data()?.onlineCount).toBe(231);
  hidePage();
  await expect.poll(storedAnswers).toContain('7 ["overview"]');
  for (const stop of stops.splice(0)) stop();
}

describe('a stored answer', () => {
  beforeEach(() => {
    signedIn();
  });

  it('is shown with its time if the server does not answer', async () => {
    await shownAnswer();
    const before = Date.now();
    onGet(path, () => HttpResponse.error());
    const { client, look, data } = page();
    look();
    await expect.poll(() => data()?.onlineCount).toBe(231);
    expect(shownAsOf(client)).toBeLessThanOrEqual(before);
    expect(shownAsOf(client)).toBeGreaterThan(before - 60_000);
  });

  it('is shown while an answer is late, which then replaces it', async () => {
    await shownAnswer();
    let answer = (_: Response) => {};
    const late = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    onGet(path, () => late);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    const { look, data } = page();
    look();
    await vi.advanceTimersByTimeAsync(2_400);
    expect(data()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(200);
    await expect.poll(() => data()?.onlineCount).toBe(231);
    expect(useReachability.getState().reach).toBe('slow');
    answer(ok(overview({ onlineCount: 99 })));
    await expect.poll(() => data()?.onlineCount).toBe(99);
    expect(useReachability.getState().reach).toBe('online');
  });

  it('is not shown if the server answers', async () => {
    await shownAnswer();
    onGet(path, () => ok(overview({ onlineCount: 5 })));
    const { look, data, client } = page();
    const reports: unknown[] = [];
    client.getQueryCache().subscribe(() => reports.push(data()?.onlineCount));
    look();
    await expect.poll(() => data()?.onlineCount).toBe(5);
    expect(reports).not.toContain(231);
  });

  it('expires after seven days', async () => {
    await shownAnswer();
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 7 * day + 60_000);
    onGet(path, () => HttpResponse.error());
    const { client, look, data } = page();
    look();
    await expect.poll(() => client.getQueryState(overviewQuery().queryKey)?.status).toBe('error');
    await expect.poll(storedAnswers).toEqual(['7']);
    expect(data()).toBeUndefined();
  });

  it('is only of a listed kind: no section of the map', async () => {
    const view = { west: 1, south: 1, east: 2, north: 2, zoom: 9 };
    onGet('/admin-api/client/pc/device/map', () => ok({ markers: [], clusters: [], total: 0, unplaced: 0 }));
    onGet(path, () => ok(overview()));
    const { client, look } = page();
    look();
    await client.fetchQuery(mapQuery(view));
    await expect.poll(() => client.getQueryState(overviewQuery().queryKey)?.status).toBe('success');
    hidePage();
    await expect.poll(storedAnswers).toEqual(['7', '7 ["overview"]']);
  });

  it('is written within a second at first, then at most every ten seconds, once for many changes', async () => {
    onGet(path, () => ok(overview()));
    const put = vi.spyOn(AnswerStore.prototype, 'put');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    const { client, look, data } = page();
    look();
    await expect.poll(() => data()).toBeDefined();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(put).toHaveBeenCalledOnce();
    put.mockClear();
    for (let n = 0; n < 50; n += 1) client.setQueryData(overviewQuery().queryKey, overview({ onlineCount: n }));
    await vi.advanceTimersByTimeAsync(9_000);
    expect(put).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(put).toHaveBeenCalledOnce();
    expect(put.mock.calls[0]?.[1]).toMatchObject([{ kind: 'overview', data: { onlineCount: 49 } }]);
  });
});

describe('stored answers are wiped', () => {
  beforeEach(async () => {
    signedIn();
    await shownAnswer();
    page();
  });

  it.each([
    ['when the user signs out', () => useSession.setState({ session: null, ended: 'quit' })],
    ['when the server ends the session', () => useSession.setState({ session: null, ended: 'lost' })],
    ['when another tab signs out', () => applyOtherTabSession(null)],
  ])('%s', async (_, end) => {
    end();
    await expect.poll(storedAnswers).toEqual([]);
  });

  it('when another user signs in, who does not see them', async () => {
    signedIn({ userId: 8 });
    await expect.poll(storedAnswers).toEqual([]);
    onGet(path, () => HttpResponse.error());
    const { client, look, data } = page();
    look();
    await expect.poll(() => client.getQueryState(overviewQuery().queryKey)?.status).toBe('error');
    expect(data()).toBeUndefined();
  });

  it('when the console is opened and nobody is signed in', async () => {
    for (const stop of stops.splice(0)) stop();
    useSession.setState({ session: null, ended: null });
    expect(await storedAnswers()).not.toEqual([]);
    page();
    await expect.poll(storedAnswers).toEqual([]);
  });
});

describe('after the user has signed out', () => {
  it('a page with a scheduled write does not write', async () => {
    signedIn();
    onGet(path, () => ok(overview()));
    const { look, data } = page();
    look();
    await expect.poll(() => data()).toBeDefined();
    // Another tab signed out a moment ago: this one still believes in its session.
    localStorage.removeItem(storageKey);
    hidePage();
    await new AnswerStore().read('7', 'anything', Date.now());
    await expect.poll(storedAnswers).toEqual([]);
  });
});

describe('if the browser stores nothing', () => {
  it('the console works as before', async () => {
    vi.stubGlobal('indexedDB', {
      open: () => {
        throw new DOMException('forbidden', 'SecurityError');
      },
    });
    signedIn();
    onGet(path, () => ok(overview({ onlineCount: 3 })));
    const { look, data } = page();
    look();
    await expect.poll(() => data()?.onlineCount).toBe(3);
    hidePage();
  });
});
