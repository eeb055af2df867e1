import { readFileSync } from 'node:fs';
import { act, screen } from '@testing-library/react';
import { delay, HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useFeedback } from '@/lib/feedback/feedback';
import { api } from '@/lib/http/api';
import { timeoutMs } from '@/lib/http/http';
import { type Language, useLanguage } from '@/lib/i18n/i18n';
import { languageCodes } from '@/lib/i18n/languages';
import { signOut, useSession } from '@/lib/session/session';
import { gate } from '@/test/gate';
import { renderWithProviders, testClient } from '@/test/renderWithProviders';
import { ok, onPost, onPut, refused } from '@/test/server';
import { signedIn } from '@/test/session';
import { ErrorDialog } from './ErrorDialog';
import { Toasts } from './Toasts';

/** The specification's error catalogue, case by case: what the user sees of a change that failed. */

const path = '/app-api/member/user/update';
const serverSentence = 'The server’s own sentence';

interface Case {
  name: string;
  answer: Parameters<typeof onPut>[1];
  way: 'error' | 'warning' | 'dialog';
  /** The key of the table's text; absent: the server's own sentence. */
  key?: string;
  /** The value of the text's variable. */
  status?: number;
}

const business = (code: number, way: Case['way'], key?: string): Case[] => [
  { name: `${code}`, answer: () => refused(code, serverSentence), way, key },
  { name: `${code} without a sentence`, answer: () => refused(code), way, key: key ?? 'error.default' },
];

const cases: Case[] = [
  ...business(401, 'error', 'error.401'),
  ...business(403, 'dialog', 'error.403'),
  ...business(404, 'dialog', 'error.404'),
  ...business(500, 'error'),
  ...business(-699, 'error'),
  ...business(601, 'warning'),
  ...[400, 429, 503, 0, 999].flatMap((code) => business(code, 'dialog')),
  { name: 'no connection', answer: () => HttpResponse.error(), way: 'error', key: 'error.network' },
  { name: 'no answer in time', answer: () => delay('infinite'), way: 'error', key: 'error.timeout' },
  ...[404, 413, 502, 503].map(
    (status): Case => ({
      name: `status ${status}`,
      answer: () => HttpResponse.json({ code: status, data: null, msg: serverSentence }, { status }),
      way: 'error',
      key: 'error.status',
      status,
    }),
  ),
];

const table: Record<string, string>[] = JSON.parse(readFileSync('src/locales/specification.json', 'utf8'));

function specified(key: string, language: Language, status?: number): string {
  const text = table.find((row) => row.key === key)?.[language];
  if (!text) throw new Error(`the specification has no text ${key} in ${language}`);
  return text.replace('{status}', String(status));
}

/** Each change differs: the duplicate check has a case of its own. */
let changes = 0;

function fail(meta = {}, signal?: AbortSignal) {
  changes += 1;
  return change(`change ${changes}`, meta, signal);
}

/** Changes something as a screen does; resolves to the call's rejection. */
function change(nickname: string, meta = {}, signal?: AbortSignal) {
  const client = testClient();
  return client
    .getMutationCache()
    .build(client, { mutationFn: () => api.put(path, { body: { nickname }, signal }), meta })
    .execute(undefined)
    .then(
      () => expect.unreachable('the call did not reject'),
      (error: unknown) => error,
    );
}

function draw() {
  return renderWithProviders(
    <>
      <Toasts />
      <ErrorDialog />
    </>,
  );
}

const shown = () => useFeedback.getState().toasts.map(({ tone, title, text }) => [tone, title, text]);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

// A language that came later is not in the specification.
const specifiedLanguages = languageCodes.filter((code) => table.every((row) => code in row));

describe.each(specifiedLanguages)('a failure in %s', (language) => {
  beforeEach(() => useLanguage.getState().setLanguage(language));

  it.each(cases.map((row) => [row.name, row] as const))('%s', async (name, { answer, way, key, status }) => {
    draw();
    const asked = gate();
    onPut(path, (info) => {
      asked.open();
      return answer(info);
    });
    const rejected = fail();
    if (name === 'no answer in time') {
      await asked.passed;
      await act(() => vi.advanceTimersByTimeAsync(timeoutMs));
    }
    await act(async () => expect(await rejected).toBeInstanceOf(Error));
    const text = key ? specified(key, language, status) : serverSentence;

    if (way === 'dialog') {
      expect(shown()).toEqual([]);
      const dialog = screen.getByRole('dialog', { name: specified('error.title', language) });
      expect(dialog).toHaveAccessibleDescription(text);
      await act(() => vi.advanceTimersByTimeAsync(60_000));
      expect(dialog).toBeVisible();
      return;
    }
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(shown()).toEqual([[way, text, undefined]]);
    expect(screen.getByRole('alert')).toHaveTextContent(text);
    await act(() => vi.advanceTimersByTimeAsync(4_999));
    expect(screen.getByText(text)).toBeVisible();
    await act(() => vi.advanceTimersByTimeAsync(1));
    expect(screen.queryByText(text)).toBeNull();
  });

  it('is a warning after a double click', async () => {
    const first = gate();
    onPut(path, async () => {
      await first.passed;
      return ok(true);
    });
    const twice = [api.put(path, { body: { nickname: language } }), change(language)] as const;
    await twice[1];
    expect(shown()).toEqual([['warning', specified('request.duplicate', language), undefined]]);
    first.open();
    await expect(twice[0]).resolves.toBe(true);
  });

  it('is shown once for a feature with its own words: its words, and the cause below', async () => {
    onPut(path, () => refused(601, serverSentence));
    await fail({ failure: 'profile.saveFail', tone: 'error' });
    expect(shown()).toEqual([['error', specified('profile.saveFail', language), serverSentence]]);
    onPut(path, () => refused(777, serverSentence));
    await fail({ failure: 'device.editFail' });
    expect(shown()).toHaveLength(1);
    expect(useFeedback.getState().dialog).toEqual({
      title: specified('error.title', language),
      about: specified('device.editFail', language),
      text: serverSentence,
    });
  });
});

describe('the session', () => {
  const refresh = '/admin-api/system/auth/refresh-token';

  it('is reported once for all waiting calls when it cannot be renewed', async () => {
    signedIn();
    onPut(path, () => refused(401));
    onPost(refresh, () => refused(401));
    await Promise.all([fail(), fail(), fail()]);
    expect(useSession.getState().ended).toBe('lost');
    expect(shown()).toEqual([['error', 'authentication failed, cannot access system resources', undefined]]);
  });

  it('shows no error for the calls that signing out ended', async () => {
    signedIn();
    const asked = gate();
    const quit = gate();
    onPut(path, async () => {
      asked.open();
      await quit.passed;
      return refused(401);
    });
    onPost('/app-api/member/auth/logout', () => ok(true));
    const rejected = fail();
    await asked.passed;
    await signOut();
    quit.open();
    expect(await rejected).toMatchObject({ code: 401 });
    expect(shown()).toEqual([]);
  });
});

describe('many failures at once', () => {
  const down = () => onPut(path, () => HttpResponse.error());
  const network = 'Cannot connect to the server';

  it('are one toast if they are of one kind', async () => {
    down();
    draw();
    await act(() => Promise.all(Array.from({ length: 10 }, () => fail())));
    expect(shown()).toEqual([['error', network, undefined]]);
    // The visible toast is not rendered again for each: a screen reader announces it once.
    const [{ id } = { id: 0 }] = useFeedback.getState().toasts;
    await act(() => fail());
    expect(useFeedback.getState().toasts[0]?.id).toBe(id);
    vi.advanceTimersByTime(1_000);
    await act(() => fail());
    expect(useFeedback.getState().toasts.map((toast) => toast.id)).not.toEqual([id]);
    expect(shown()).toHaveLength(1);
  });

  it('are shown in the words of the feature among them, whichever comes first', async () => {
    down();
    const own = { failure: 'profile.saveFail' };
    await fail();
    await fail(own);
    await fail();
    expect(shown()).toEqual([['error', 'fail modify', network]]);
    await fail({ failure: 'password.fail' });
    expect(shown()).toEqual([
      ['error', 'fail modify', network],
      ['error', 'Could not change the password', network],
    ]);
  });
});

it('a form itself shows the codes that it names, and no others', async () => {
  onPut(path, () => refused(601, serverSentence));
  await fail({ shows: [601] });
  expect(shown()).toEqual([]);
  onPut(path, () => refused(500, serverSentence));
  await fail({ shows: [601] });
  expect(shown()).toEqual([['error', serverSentence, undefined]]);
});

it('a failure may be shown as a warning', async () => {
  onPut(path, () => refused(429, serverSentence));
  await fail({ failure: 'signin.fail', tone: 'warning' });
  expect(shown()).toEqual([['warning', 'login failed', serverSentence]]);
});

it('an aborted call shows nothing', async () => {
  const gone = new AbortController();
  const asked = gate();
  onPut(path, async () => {
    asked.open();
    await delay('infinite');
  });
  const rejected = fail({}, gone.signal);
  await asked.passed;
  gone.abort();
  expect(await rejected).toMatchObject({ name: 'AbortError' });
  expect(shown()).toEqual([]);
});
