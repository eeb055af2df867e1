import { QueryObserver } from '@tanstack/react-query';
import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import { useFeedback } from '../feedback/feedback';
import { useLanguage } from '../i18n/i18n';
import { useSession } from '../session/session';
import { errorText, showError } from './errorText';
import { ApiError } from './http';
import { createQueryClient } from './queryClient';

const business = (code: number, msg = '') => new ApiError(code, msg, 'business');
const shown = () => useFeedback.getState().toasts.map(({ tone, title }) => [tone, title]);
const dialog = () => useFeedback.getState().dialog;

describe('the sentence for a failure', () => {
  it.each([
    [business(601, 'Name: taken'), 'Name: taken'],
    [business(500), 'Unknown system error'],
    [business(401, 'x'), 'authentication failed, cannot access system resources'],
    [business(403, 'x'), 'You do not have permission for this'],
    [business(404), 'This resource does not exist'],
    [new ApiError(0, '', 'network'), 'Cannot connect to the server'],
    [new ApiError(0, '', 'timeout'), 'The request timed out'],
    [new ApiError(503, 'x', 'status'), 'The server answered with status 503'],
    [new Error('a bug'), 'Unknown system error'],
  ])('%#', (error, sentence) => {
    expect(errorText(error)).toBe(sentence);
  });

  it('is in the user’s language', async () => {
    await useLanguage.getState().setLanguage('ru-ru');
    expect(errorText(new ApiError(503, '', 'status'))).toBe('Ошибка сервера: 503');
  });
});

describe('a failure before there are texts', () => {
  it('is reported once they are there', async () => {
    const texts = i18next.getResourceBundle('en-us', 'translation');
    i18next.removeResourceBundle('en-us', 'translation');
    showError(new ApiError(500, '', 'status'));
    expect(shown()).toEqual([]);
    i18next.addResourceBundle('en-us', 'translation', texts);
    await i18next.changeLanguage('en-us');
    expect(shown()).toEqual([['error', 'The server answered with status 500']]);
  });
});

describe('the presentation of a failure', () => {
  it.each([
    [business(500, 'fault'), 'error', 'fault'],
    [business(-699, 'SMS is not set up'), 'error', 'SMS is not set up'],
    [business(601, 'Name: taken'), 'warning', 'Name: taken'],
    [new ApiError(0, '', 'network'), 'error', 'Cannot connect to the server'],
    [new ApiError(502, '', 'status'), 'error', 'The server answered with status 502'],
  ])('is a toast: %#', (error, tone, title) => {
    showError(error);
    expect(shown()).toEqual([[tone, title]]);
    expect(dialog()).toBeNull();
  });

  it.each([
    [429, 'Wait 15 minutes', 'Wait 15 minutes'],
    [400, 'Unreadable', 'Unreadable'],
    [403, '', 'You do not have permission for this'],
  ])('is a dialog for any other code: %s', (code, msg, text) => {
    showError(business(code, msg));
    expect(shown()).toEqual([]);
    expect(dialog()).toMatchObject({ title: 'Error', text });
  });

  it('is empty for calls that signing out ended', () => {
    useSession.setState({ session: null, ended: 'quit' });
    showError(business(401));
    showError(business(401), { failure: 'profile.saveFail', tone: 'error' });
    expect(shown()).toEqual([]);
    useSession.setState({ ended: 'lost' });
    showError(business(401));
    expect(shown()).toEqual([['error', 'authentication failed, cannot access system resources']]);
  });

  it('is empty for an aborted call', () => {
    showError(new DOMException('gone', 'AbortError'));
    showError(new DOMException('gone', 'AbortError'), { failure: 'profile.saveFail', tone: 'error' });
    expect(shown()).toEqual([]);
  });

  it('is one message when many calls fail alike', () => {
    for (let call = 0; call < 5; call++) showError(new ApiError(0, '', 'network'));
    expect(shown()).toHaveLength(1);
  });
});

describe('a failure in a feature’s own words', () => {
  const toasts = () => useFeedback.getState().toasts.map(({ tone, title, text }) => [tone, title, text]);

  it.each([
    [business(601, 'Nickname: at most 64 characters'), 'Nickname: at most 64 characters'],
    [business(777, 'Wait 15 minutes'), 'Wait 15 minutes'],
    [new ApiError(0, '', 'timeout'), 'The request timed out'],
    [new Error('a bug'), 'Unknown system error'],
  ])('shows the cause below, in the specification’s tone: %#', (error, text) => {
    showError(error, { failure: 'profile.saveFail', tone: 'error' });
    expect(toasts()).toEqual([['error', 'fail modify', text]]);
    expect(dialog()).toBeNull();
    useFeedback.setState({ toasts: [] });
    showError(error, { failure: 'signin.fail', tone: 'warning' });
    expect(toasts()).toEqual([['warning', 'login failed', text]]);
  });

  it('that have no tone depends on the code', () => {
    showError(business(601, 'taken'), { failure: 'device.editFail' });
    showError(business(-699, 'no gateway'), { failure: 'device.editFail' });
    expect(toasts()).toEqual([
      ['warning', 'Edit failure', 'taken'],
      ['error', 'Edit failure', 'no gateway'],
    ]);
    showError(business(777, 'odd'), { failure: 'device.editFail' });
    expect(dialog()).toEqual({ title: 'Error', about: 'Edit failure', text: 'odd' });
  });

  it('does not apply to a refused duplicate', () => {
    showError(new ApiError(601, 'data is being processed', 'duplicate'), {
      failure: 'profile.saveFail',
      shows: [601],
    });
    expect(toasts()).toEqual([['warning', 'data is being processed', undefined]]);
  });
});

describe('a refusal that asks for a step', () => {
  const asking = new ApiError(601, 'Solve the slider captcha first', 'business', { captchaRequired: true });

  it('shows nothing if the caller takes that step', () => {
    showError(asking, { failure: 'signin.fail', tone: 'warning', takes: ['codeRequired', 'captchaRequired'] });
    expect(shown()).toEqual([]);
  });

  it('shows an error if nobody takes it', () => {
    showError(asking);
    expect(shown()).toEqual([['warning', 'Solve the slider captcha first']]);
    useFeedback.setState({ toasts: [] });
    showError(business(601, 'wrong'), { takes: ['captchaRequired'] });
    expect(shown()).toEqual([['warning', 'wrong']]);
  });
});

describe('queries and mutations', () => {
  const fail = () => Promise.reject(business(601, 'no'));

  it('report failures in one place', async () => {
    const client = createQueryClient();
    await client.fetchQuery({ queryKey: ['a'], queryFn: fail }).catch(() => undefined);
    expect(shown()).toEqual([['warning', 'no']]);
    useFeedback.setState({ toasts: [] });
    await client
      .getMutationCache()
      .build(client, { mutationFn: fail })
      .execute(undefined)
      .catch(() => undefined);
    expect(shown()).toEqual([['warning', 'no']]);
  });

  it('do not report failures that the caller shows', async () => {
    const client = createQueryClient();
    const meta = { shows: [601] };
    await client.fetchQuery({ queryKey: ['a'], queryFn: fail, meta }).catch(() => undefined);
    await client
      .getMutationCache()
      .build(client, { mutationFn: fail, meta })
      .execute(undefined)
      .catch(() => undefined);
    expect(shown()).toEqual([]);
  });

  describe('of a list that keeps failing', () => {
    let answer: () => Promise<unknown>;
    const list = () => {
      const client = createQueryClient();
      const ask = async () => {
        useFeedback.setState({ toasts: [], dialog: null });
        await client
          .fetchQuery({
            queryKey: ['list'],
            queryFn: () => answer(),
            retry: false,
            staleTime: 0,
            meta: { banner: true },
          })
          .catch(() => undefined);
        return shown();
      };
      return { client, ask };
    };

    it('reports once, and again after a success in between', async () => {
      const { ask } = list();
      answer = fail;
      expect(await ask()).toEqual([['warning', 'no']]);
      expect(await ask()).toEqual([]);
      expect(await ask()).toEqual([]);
      answer = () => Promise.resolve([]);
      expect(await ask()).toEqual([]);
      answer = fail;
      expect(await ask()).toEqual([['warning', 'no']]);
    });

    it('reports again when the cause differs', async () => {
      const { ask } = list();
      answer = fail;
      await ask();
      answer = () => Promise.reject(business(500, 'fault'));
      expect(await ask()).toEqual([['error', 'fault']]);
      answer = () => Promise.reject(business(777, 'odd'));
      await ask();
      expect(dialog()).toMatchObject({ text: 'odd' });
    });

    it('reports again when a page uses it again', async () => {
      const { client, ask } = list();
      answer = fail;
      await ask();
      const leave = new QueryObserver(client, { queryKey: ['list'], enabled: false }).subscribe(() => undefined);
      expect(await ask()).toEqual([]);
      leave();
      expect(await ask()).toEqual([['warning', 'no']]);
    });
  });

  it('retry only failures that may pass by themselves', () => {
    const retry = createQueryClient().getDefaultOptions().queries?.retry as (
      failures: number,
      error: unknown,
    ) => boolean;
    expect(retry(0, new ApiError(0, '', 'network'))).toBe(true);
    expect(retry(1, new ApiError(503, '', 'status'))).toBe(true);
    expect(retry(2, new ApiError(0, '', 'timeout'))).toBe(false);
    expect(retry(0, business(601))).toBe(false);
    expect(retry(0, new Error('a bug'))).toBe(false);
  });
});
