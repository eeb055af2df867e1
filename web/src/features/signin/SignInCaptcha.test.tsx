import { screen, waitFor } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { useSession } from '@/lib/session/session';
import { useTenant } from '@/lib/tenant/tenant';
import { captchaAnswer, captchaServer, decrypt, slider, solvePuzzle } from '@/test/captcha';
import { ok, onGet, onPost, refused } from '@/test/server';
import { tokens } from '@/test/session';
import {
  button,
  byWebsite,
  fillSignIn,
  login,
  openSignIn,
  password,
  settings,
  stubLogin,
  stubSettings,
  toasts,
  userName,
} from '@/test/signin';

beforeEach(() => {
  onGet(byWebsite, () => ok(null));
  stubSettings();
});

describe('the captcha', () => {
  const panel = () => screen.queryByRole('dialog', { name: 'Slide the piece into place' });

  it.each(['always', 'adaptive'])('precedes every sign-in if the installation has set it to %s', async (captcha) => {
    stubSettings({ captcha });
    const puzzles = captchaServer();
    const loginRequests = stubLogin();
    const { person, onSubmit } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    await solvePuzzle(puzzles);
    expect(button()).toHaveAttribute('aria-expanded', 'true');
    expect(onSubmit).toHaveBeenCalledTimes(1);
    expect(loginRequests).toEqual([]);
    await waitFor(() => expect(useSession.getState().session).not.toBeNull());
    await waitFor(() => expect(panel()).toBeNull());
    const { captchaVerification, ...rest } = loginRequests[0] as Record<string, string>;
    expect(rest).toEqual({ userName: 'elif.kaya', password: 'correct horse', rememberMe: true, tenantName: 'demo' });
    expect(decrypt(captchaVerification ?? '')).toBe('token-1---{"x":120,"y":5}');
    expect(localStorage.getItem('tilth.terms-read.elif.kaya')).toBe('true');
  });

  it('is not shown before both fields are filled in', async () => {
    stubSettings({ captcha: 'always' });
    const puzzles = captchaServer();
    const { person } = openSignIn();
    await person.type(userName(), 'elif');
    await person.keyboard('{Enter}');
    expect(password()).toHaveFocus();
    await waitFor(() => expect(panel()).toBeNull());
    expect(puzzles.gets).toEqual([]);
  });

  it('is shown if the settings cannot be fetched', async () => {
    onGet(byWebsite, () => ok({ id: 4, name: 'greenfield', diy: null }));
    onGet(settings, () => HttpResponse.error());
    captchaServer();
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    await waitFor(() => expect(panel()).toBeVisible());
  });

  it('is not shown if there is no tenant', async () => {
    stubSettings({ captcha: 'always', defaultTenant: '' });
    useTenant.setState({ tenant: { id: 9, name: 'gone', diy: { title: 'Of last year' } } });
    onGet(byWebsite, () => refused(500, 'down'));
    const puzzles = captchaServer();
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    await expect.poll(toasts).toMatchObject([{ tone: 'warning', title: 'login failed' }]);
    expect(useTenant.getState().tenant).toBeNull();
    await waitFor(() => expect(panel()).toBeNull());
    expect(puzzles.gets).toEqual([]);
  });

  it('takes the focus when it opens and returns it when it is closed', async () => {
    stubSettings({ captcha: 'always' });
    captchaServer();
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.keyboard('{Enter}');
    await waitFor(() => expect(slider()).toHaveFocus());
    await person.keyboard('{Escape}');
    await waitFor(() => expect(panel()).toBeNull());
    expect(button()).toHaveFocus();
    expect(button()).toHaveAttribute('aria-expanded', 'false');
    await person.keyboard('{Enter}');
    await waitFor(() => expect(panel()).toBeVisible());
    await person.click(screen.getByRole('button', { name: 'Close' }));
    await waitFor(() => expect(panel()).toBeNull());
  });

  it.each([
    ['user name', userName],
    ['password', password],
  ])('comes first: Enter in the %s leads to the slider, also while it is open', async (_, field) => {
    stubSettings({ captcha: 'adaptive' });
    captchaServer();
    const loginRequests = stubLogin();
    const { person } = openSignIn();
    await fillSignIn(person);
    for (const _time of ['first', 'again']) {
      field().focus();
      await person.keyboard('{Enter}');
      await waitFor(() => expect(slider()).toHaveFocus());
    }
    // An unmoved slider lets nobody through.
    await person.keyboard('{Enter}{Enter}');
    expect(slider()).toHaveFocus();
    expect(loginRequests).toEqual([]);
    // An empty field comes before the slider.
    await person.clear(field());
    await person.keyboard('{Enter}');
    expect(field()).toHaveFocus();
  });

  it('sends the form’s current values when it is solved, and nothing if a value is missing then', async () => {
    stubSettings({ captcha: 'always' });
    const puzzles = captchaServer();
    const loginRequests = stubLogin();
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    await waitFor(() => expect(panel()).toBeVisible());
    await person.clear(password());
    await solvePuzzle(puzzles);
    await waitFor(() => expect(panel()).toBeNull());
    expect(password()).toHaveFocus();
    expect(password()).toBeInvalid();
    expect(loginRequests).toEqual([]);
    await person.type(password(), 'another one');
    await person.click(button());
    await solvePuzzle(puzzles);
    await expect.poll(() => loginRequests).toMatchObject([{ password: 'another one' }]);
  });

  it('is shown again, with a new picture each time, if the server demands it', async () => {
    const puzzles = captchaServer();
    const demand = { captchaRequired: true };
    const answers = [() => refused(601, 'Solve the slider captcha first', demand), () => refused(601, 'wrong')];
    const loginRequests: Record<string, unknown>[] = [];
    onPost(login, async ({ request }) => {
      loginRequests.push((await request.json()) as Record<string, unknown>);
      return answers.shift()?.() ?? ok(tokens('1'));
    });
    const { person } = openSignIn();
    await fillSignIn(person);
    // The captcha was off when the page was loaded.
    await person.click(button());
    await solvePuzzle(puzzles);
    // The demand is a step, not a failure, so no message is shown.
    expect(toasts()).toEqual([]);
    await expect.poll(toasts).toMatchObject([{ tone: 'warning', title: 'login failed', text: 'wrong' }]);
    await waitFor(() => expect(panel()).toBeNull());
    expect(password()).toHaveFocus();
    expect(loginRequests.map((body) => 'captchaVerification' in body)).toEqual([false, true]);
  });

  const unseen = () => screen.queryByRole('button', { name: 'Go on without the picture' });

  it('lets users who cannot see it continue as long as the server does not demand it', async () => {
    stubSettings({ captcha: 'adaptive' });
    captchaServer();
    const demand = { captchaRequired: true };
    const loginRequests: unknown[] = [];
    const answers = [() => refused(601, 'Solve the slider captcha first', demand)];
    onPost(login, async ({ request }) => {
      loginRequests.push(await request.json());
      return answers.shift()?.() ?? ok(tokens('1'));
    });
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    await waitFor(() => expect(panel()).toBeVisible());
    // The slider comes first, and tells of the other way, which is the next one.
    await waitFor(() => expect(slider()).toHaveFocus());
    expect(slider()).toHaveAccessibleDescription(/Cannot see the picture\? The next button goes on without it\.$/);
    await person.tab();
    expect(unseen()).toHaveFocus();
    expect(unseen()).toHaveAccessibleDescription(
      'For people who cannot see it. After failed attempts the picture is needed.',
    );
    await person.click(unseen() as HTMLElement);
    await expect
      .poll(toasts)
      .toMatchObject([{ tone: 'warning', title: 'login failed', text: expect.stringMatching(/15 minutes/) }]);
    await waitFor(() => expect(panel()).toBeNull());
    expect(password()).toHaveFocus();

    await person.click(button());
    await waitFor(() => expect(panel()).toBeVisible());
    await person.click(unseen() as HTMLElement);
    await waitFor(() => expect(useSession.getState().session).not.toBeNull());
    const body = { userName: 'elif.kaya', password: 'correct horse', rememberMe: true, tenantName: 'demo' };
    expect(loginRequests).toEqual([body, body]);
  });

  it('offers no way around it if the server always demands it', async () => {
    stubSettings({ captcha: 'always' });
    captchaServer();
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    await waitFor(() => expect(panel()).toBeVisible());
    expect(unseen()).toBeNull();
    expect(slider()).not.toHaveAccessibleDescription(/without it/);
  });

  it('leaves the form ready if it cannot be loaded', async () => {
    stubSettings({ captcha: 'always' });
    const puzzles = captchaServer();
    puzzles.getAnswers.push(() => captchaAnswer('6201', 'Too many pictures'));
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    expect(await screen.findByRole('alert')).toHaveTextContent('Too many pictures');
    expect(button()).toHaveTextContent('Sign in');
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(slider()).toHaveAttribute('aria-disabled', 'false'));
  });
});
