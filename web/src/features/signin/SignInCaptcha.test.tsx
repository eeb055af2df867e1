import { screen, waitFor } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { useSession } from '@/lib/session';
import { useTenant } from '@/lib/tenant';
import { bare, captchaBackend, slider, solve, unseal } from '@/test/captcha';
import { ok, onGet, onPost, refused } from '@/test/server';
import { tokens } from '@/test/session';
import {
  accepts,
  button,
  byWebsite,
  fill,
  login,
  open,
  password,
  settings,
  toasts,
  told,
  userName,
} from '@/test/signin';

beforeEach(() => {
  onGet(byWebsite, () => ok(null));
  told();
});

describe('the captcha', () => {
  const panel = () => screen.queryByRole('dialog', { name: 'Slide the piece into place' });

  it.each(['always', 'adaptive'])('comes before every sign-in where the installation has it %s', async (captcha) => {
    told({ captcha });
    const puzzles = captchaBackend();
    const asked = accepts();
    const { person, onSubmit } = open();
    await fill(person);
    await person.click(button());
    await solve(puzzles);
    expect(button()).toHaveAttribute('aria-expanded', 'true');
    expect(onSubmit).toHaveBeenCalledTimes(1);
    expect(asked).toEqual([]);
    await waitFor(() => expect(useSession.getState().session).not.toBeNull());
    await waitFor(() => expect(panel()).toBeNull());
    const { captchaVerification, ...rest } = asked[0] as Record<string, string>;
    expect(rest).toEqual({ userName: 'elif.kaya', password: 'correct horse', rememberMe: true, tenantName: 'demo' });
    expect(unseal(captchaVerification ?? '')).toBe('token-1---{"x":120,"y":5}');
    expect(localStorage.getItem('tilth.terms-read.elif.kaya')).toBe('true');
  });

  it('is not asked for before both fields are filled in', async () => {
    told({ captcha: 'always' });
    const puzzles = captchaBackend();
    const { person } = open();
    await person.type(userName(), 'elif');
    await person.keyboard('{Enter}');
    expect(password()).toHaveFocus();
    await waitFor(() => expect(panel()).toBeNull());
    expect(puzzles.gets).toEqual([]);
  });

  it('is asked for where the settings cannot be had', async () => {
    onGet(byWebsite, () => ok({ id: 4, name: 'greenfield', diy: null }));
    onGet(settings, () => HttpResponse.error());
    captchaBackend();
    const { person } = open();
    await fill(person);
    await person.click(button());
    await waitFor(() => expect(panel()).toBeVisible());
  });

  it('waits for the tenant: without one nobody moves a slider', async () => {
    told({ captcha: 'always', defaultTenant: '' });
    useTenant.setState({ tenant: { id: 9, name: 'gone', diy: { title: 'Of last year' } } });
    onGet(byWebsite, () => refused(500, 'down'));
    const puzzles = captchaBackend();
    const { person } = open();
    await fill(person);
    await person.click(button());
    await expect.poll(toasts).toMatchObject([{ tone: 'warning', title: 'login failed' }]);
    expect(useTenant.getState().tenant).toBeNull();
    await waitFor(() => expect(panel()).toBeNull());
    expect(puzzles.gets).toEqual([]);
  });

  it('has the keyboard when it opens, and gives it back when it is closed', async () => {
    told({ captcha: 'always' });
    captchaBackend();
    const { person } = open();
    await fill(person);
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

  it('sends what stands in the form when it is solved, and nothing when something is missing then', async () => {
    told({ captcha: 'always' });
    const puzzles = captchaBackend();
    const asked = accepts();
    const { person } = open();
    await fill(person);
    await person.click(button());
    await waitFor(() => expect(panel()).toBeVisible());
    await person.clear(password());
    await solve(puzzles);
    await waitFor(() => expect(panel()).toBeNull());
    expect(password()).toHaveFocus();
    expect(password()).toBeInvalid();
    expect(asked).toEqual([]);
    await person.type(password(), 'another one');
    await person.click(button());
    await solve(puzzles);
    await expect.poll(() => asked).toMatchObject([{ password: 'another one' }]);
  });

  it('is asked for again, each time anew, where the server demands it', async () => {
    const puzzles = captchaBackend();
    const demand = { captchaRequired: true };
    const answers = [() => refused(601, 'Solve the slider captcha first', demand), () => refused(601, 'wrong')];
    const asked: Record<string, unknown>[] = [];
    onPost(login, async ({ request }) => {
      asked.push((await request.json()) as Record<string, unknown>);
      return answers.shift()?.() ?? ok(tokens('1'));
    });
    const { person } = open();
    await fill(person);
    // It was off when the page was loaded.
    await person.click(button());
    await solve(puzzles);
    // A step, and no failure: nothing is told of it.
    expect(toasts()).toEqual([]);
    await expect.poll(toasts).toMatchObject([{ tone: 'warning', title: 'login failed', text: 'wrong' }]);
    await waitFor(() => expect(panel()).toBeNull());
    expect(password()).toHaveFocus();
    expect(asked.map((body) => 'captchaVerification' in body)).toEqual([false, true]);
  });

  const unseen = () => screen.queryByRole('button', { name: 'Go on without the picture' });

  it('lets whoever cannot see it go on without, as long as the server demands it of nobody', async () => {
    told({ captcha: 'adaptive' });
    captchaBackend();
    const demand = { captchaRequired: true };
    const asked: unknown[] = [];
    const answers = [() => refused(601, 'Solve the slider captcha first', demand)];
    onPost(login, async ({ request }) => {
      asked.push(await request.json());
      return answers.shift()?.() ?? ok(tokens('1'));
    });
    const { person } = open();
    await fill(person);
    await person.click(button());
    await waitFor(() => expect(panel()).toBeVisible());
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
    expect(asked).toEqual([body, body]);
  });

  it('offers no way without it where the server always demands it', async () => {
    told({ captcha: 'always' });
    captchaBackend();
    const { person } = open();
    await fill(person);
    await person.click(button());
    await waitFor(() => expect(panel()).toBeVisible());
    expect(unseen()).toBeNull();
  });

  it('that cannot be had leaves the form ready', async () => {
    told({ captcha: 'always' });
    const puzzles = captchaBackend();
    puzzles.getAnswers.push(() => bare('6201', 'Too many pictures'));
    const { person } = open();
    await fill(person);
    await person.click(button());
    expect(await screen.findByRole('alert')).toHaveTextContent('Too many pictures');
    expect(button()).toHaveTextContent('Sign in');
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(slider()).toHaveAttribute('aria-disabled', 'false'));
  });
});
