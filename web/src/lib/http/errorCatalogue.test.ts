import { readFileSync } from 'node:fs';
import i18next from 'i18next';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import english from '@/locales/en-us.json';
import { consoleCalls } from '@/test/contract';
import { envelope, errorCases, expectedError, sendCall, serverSentence, shownErrors } from '@/test/errorCases';
import { useFeedback } from '../feedback/feedback';
import { resetReachability } from '../offline/reachability';
import { resetSentRequests } from './duplicates';
import { ApiError, maxRetryAfterMs } from './http';

/** The specification's error catalogue, for every call of the contract. */

const all = consoleCalls();
// Calls that send files need a page (errorCatalogue.dom.test.ts); the live stream reopens by itself
// and reports no failures.
const calls = all.filter(({ kind }) => kind !== 'form' && kind !== 'stream');
const reads = calls.filter(({ method }) => method === 'GET');
const changes = calls.filter(({ method }) => method !== 'GET');
const rows = (some: typeof calls) => some.map((call) => [`${call.method} ${call.path}`, call] as const);

const fetchMock = vi.fn<() => Promise<Response>>();
const answers =
  (code: number, headers: Record<string, string> = {}) =>
  async () =>
    new Response(JSON.stringify({ ...envelope(code), ...(code === 200 ? { data: 1 } : {}) }), {
      headers: { 'Content-Type': 'application/json', ...headers },
    });

beforeAll(async () => {
  await i18next.init({
    lng: 'en-us',
    lowerCaseLng: true,
    load: 'currentOnly',
    fallbackLng: false,
    resources: { 'en-us': { translation: english } },
    interpolation: { escapeValue: false },
  });
});
beforeEach(() => {
  vi.stubGlobal('navigator', { onLine: true });
  vi.stubGlobal('fetch', fetchMock);
  fetchMock.mockReset();
  useFeedback.setState({ toasts: [], dialog: null });
  resetSentRequests();
  resetReachability();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('includes every call of the console’s types', () => {
  const types = readFileSync('src/api/schema.gen.ts', 'utf8');
  const [paths = ''] = types.split('export type webhooks');
  const typed = [...paths.matchAll(/^ {4}"(\/(?:admin-api|app-api)\/[^"]+)": \{$([\s\S]*?)^ {4}\};$/gm)].flatMap(
    ([, path, words = '']) =>
      [...words.matchAll(/^ {8}(get|post|put|delete): operations/gm)].map(([, method]) => `${method} ${path}`),
  );
  expect(typed.length).toBeGreaterThan(80);
  expect(all.map(({ method, path }) => `${method.toLowerCase()} ${path}`).sort()).toEqual(typed.sort());
  expect(
    all
      .filter(({ kind }) => kind !== 'json')
      .map(({ kind }) => kind)
      .sort(),
  ).toEqual(['bare', 'bare', 'file', 'form', 'lines', 'stream']);
});

describe.each(errorCases.map((row) => [row.answered, row] as const))(
  '%s is told once, as specified:',
  (answered, row) => {
    it.each(rows(calls))('%s', async (_, call) => {
      // Longer than the longest automatic wait.
      fetchMock.mockImplementation(
        answered === 'nothing'
          ? () => Promise.reject(new TypeError('down'))
          : answers(answered, { 'Retry-After': '900' }),
      );
      const error = await sendCall(call);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject(answered === 'nothing' ? { kind: 'network' } : { kind: 'business', code: answered });
      expect(shownErrors()).toEqual([expectedError(row)]);
      expect(fetchMock).toHaveBeenCalledTimes(1);
    });
  },
);

describe('after a 429,', () => {
  const dialog = [['dialog', 'Error', serverSentence]];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  });

  it.each(rows(reads))('%s waits and is sent once more', async (_, call) => {
    fetchMock.mockImplementation(answers(429, { 'Retry-After': '2' }));
    const refused = sendCall(call);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(fetchMock).toHaveBeenCalledTimes(1);
    expect(shownErrors()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(fetchMock).toHaveBeenCalledTimes(2);
    expect(await refused).toMatchObject({ code: 429 });
    expect(shownErrors()).toEqual(dialog);
  });

  it.each(rows(changes))('%s, which changes something, shows the error at once', async (_, call) => {
    fetchMock.mockImplementation(answers(429, { 'Retry-After': '2' }));
    expect(await sendCall(call)).toMatchObject({ code: 429 });
    await vi.advanceTimersByTimeAsync(maxRetryAfterMs);
    expect(fetchMock).toHaveBeenCalledTimes(1);
    expect(shownErrors()).toEqual(dialog);
  });

  const [[, read] = ['', calls[0]]] = rows(reads.filter(({ kind }) => kind === 'json'));
  const count = () => sendCall(read as (typeof calls)[number]);

  it('a successful retry shows no error', async () => {
    fetchMock.mockImplementationOnce(answers(429, { 'Retry-After': '10' })).mockImplementation(answers(200));
    const answered = count();
    await vi.advanceTimersByTimeAsync(maxRetryAfterMs);
    expect(await answered).toBeUndefined();
    expect(shownErrors()).toEqual([]);
  });

  it.each([
    ['longer than ten seconds', { 'Retry-After': '11' }],
    ['for an unknown time', {} as Record<string, string>],
    ['until an invalid time', { 'Retry-After': 'soon' }],
  ])('a call that would have to wait %s shows the error at once', async (_, headers) => {
    fetchMock.mockImplementation(answers(429, headers));
    expect(await count()).toMatchObject({ code: 429 });
    expect(fetchMock).toHaveBeenCalledTimes(1);
    expect(shownErrors()).toEqual(dialog);
  });

  it('Retry-After may be a date', async () => {
    fetchMock.mockImplementationOnce(answers(429, { 'Retry-After': new Date(Date.now() + 4_000).toUTCString() }));
    fetchMock.mockImplementation(answers(200));
    const answered = count();
    await vi.advanceTimersByTimeAsync(2_900);
    expect(fetchMock).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(await answered).toBeUndefined();
    expect(fetchMock).toHaveBeenCalledTimes(2);
  });

  it('an HTTP status of 429 has the same effect', async () => {
    fetchMock.mockImplementation(
      async () => new Response(JSON.stringify(envelope(429)), { status: 429, headers: { 'Retry-After': '1' } }),
    );
    const refused = count();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await refused).toMatchObject({ kind: 'status', code: 429 });
    expect(fetchMock).toHaveBeenCalledTimes(2);
    expect(shownErrors()).toEqual(dialog);
  });
});
