import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useNotices } from '@/lib/notices';
import { useSession } from '@/lib/session';
import { useTenant } from '@/lib/tenant';
import { bare, captchaBackend, slider, solve, unseal } from '@/test/captcha';
import { gate } from '@/test/gate';
import { renderPart } from '@/test/part';
import { ok, onGet, onPost, refused } from '@/test/server';
import { tokens } from '@/test/session';
import { SignInPage } from './SignInPage';

const login = '/app-api/member/auth/login-username';
const byWebsite = '/admin-api/system/tenant/get-by-website';
const settings = '/admin-api/system/console/settings';

beforeEach(() => {
  onGet(byWebsite, () => ok(null));
  told();
});

/** The installation's settings; the captcha has tests of its own below. */
function told({ captcha = 'off', defaultTenant = 'demo' } = {}) {
  onGet(settings, () => ok({ version: '0.1.0', defaultTenant, mapTiles: null, captcha }));
}

function open({ ended = false } = {}) {
  const onSubmit = vi.fn();
  const drawn = renderPart(<SignInPage ended={ended} onSubmit={onSubmit} />);
  return { ...drawn, onSubmit, person: userEvent.setup() };
}

const userName = () => screen.getByLabelText('User name');
const password = () => screen.getByLabelText('Password');
const button = () => screen.getByRole('button', { name: /^Sign/ });
const toasts = () => useNotices.getState().toasts;

async function fill(person: ReturnType<typeof userEvent.setup>, name = 'elif.kaya', secret = 'correct horse') {
  await person.type(userName(), name);
  await person.type(password(), secret);
}

/** Keeps what sign-in was asked with. */
function accepts() {
  const asked: unknown[] = [];
  onPost(login, async ({ request }) => {
    asked.push(await request.json());
    return ok(tokens('1'));
  });
  return asked;
}

describe('the form', () => {
  it('signs in to the installation’s tenant where the host has none', async () => {
    const asked = accepts();
    const { person, onSubmit } = open();
    await fill(person, ' elif.kaya ');
    await person.click(button());
    await expect.poll(() => useSession.getState().session?.accessToken).toBe('access-1');
    expect(asked).toEqual([{ userName: 'elif.kaya', password: 'correct horse', rememberMe: true, tenantName: 'demo' }]);
    expect(onSubmit).toHaveBeenCalledTimes(1);
    expect(localStorage.getItem('tilth.terms-read.elif.kaya')).toBe('true');
  });

  it('signs in to the host’s tenant, with Enter, and only for now when asked to', async () => {
    onGet(byWebsite, () => ok({ id: 4, name: 'greenfield', diy: null }));
    const asked = accepts();
    const { person } = open();
    expect(await screen.findByText('greenfield')).toBeVisible();
    await person.click(screen.getByRole('switch', { name: 'Remember me' }));
    await fill(person);
    await person.keyboard('{Enter}');
    await expect
      .poll(() => asked)
      .toEqual([{ userName: 'elif.kaya', password: 'correct horse', rememberMe: false, tenantName: 'greenfield' }]);
  });

  it('says what is missing beside the field, and goes there', async () => {
    const { person, onSubmit } = open();
    await person.click(button());
    expect(userName()).toHaveAccessibleDescription('Please enter a user name');
    expect(userName()).toBeInvalid();
    expect(userName()).toHaveFocus();
    expect(password()).toHaveAccessibleDescription('Please enter the password');
    await person.type(userName(), 'elif');
    expect(userName()).toBeValid();
    await person.click(button());
    expect(password()).toHaveFocus();
    expect(onSubmit).not.toHaveBeenCalled();
  });

  it('shows the password when asked, and hides it again', async () => {
    const { person } = open();
    expect(password()).toHaveAttribute('type', 'password');
    await person.click(screen.getByRole('button', { name: 'Show the password' }));
    expect(password()).toHaveAttribute('type', 'text');
    await person.click(screen.getByRole('button', { name: 'Hide the password' }));
    expect(password()).toHaveAttribute('type', 'password');
  });

  it('is busy while the server looks, and takes one wish for one', async () => {
    const answer = gate();
    const asked: string[] = [];
    onPost(login, async () => {
      asked.push('login');
      await answer.passed;
      return ok(tokens('1'));
    });
    const { person } = open();
    await fill(person);
    await person.click(button());
    expect(button()).toHaveTextContent('Signing in');
    expect(button()).toHaveAttribute('aria-disabled', 'true');
    await expect.poll(() => asked).toHaveLength(1);
    await person.click(button());
    answer.open();
    await expect.poll(() => useSession.getState().session).not.toBeNull();
    expect(asked).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it('warns that the login failed, with the server’s sentence, and leaves the form ready', async () => {
    onPost(login, () => refused(601, 'The user name or the password is wrong'));
    const { person } = open();
    await fill(person);
    await person.click(button());
    await expect
      .poll(toasts)
      .toMatchObject([{ tone: 'warning', title: 'login failed', text: 'The user name or the password is wrong' }]);
    expect(button()).toHaveTextContent('Sign in');
    expect(password()).toHaveFocus();
    expect(useSession.getState().session).toBeNull();
    expect(localStorage.getItem('tilth.terms-read.elif.kaya')).toBeNull();
  });

  it('says when there is no connection', async () => {
    for (const path of [byWebsite, settings]) onGet(path, () => HttpResponse.error());
    const { person } = open();
    await fill(person);
    await person.click(button());
    await expect.poll(toasts).toMatchObject([{ title: 'login failed', text: 'Cannot connect to the server' }]);
  });

  it('says when the address belongs to no tenant', async () => {
    told({ defaultTenant: '' });
    const { person } = open();
    await fill(person);
    await person.click(button());
    await expect
      .poll(toasts)
      .toMatchObject([{ title: 'login failed', text: 'No farm is set up for this address. Ask whoever runs Tilth.' }]);
  });

  it('is gone from the screen with the next try', async () => {
    onPost(login, () => refused(601, 'wrong'));
    const { person } = open();
    await fill(person);
    await person.click(button());
    await expect.poll(toasts).toHaveLength(1);
    const asked = accepts();
    await person.click(button());
    await expect.poll(() => asked).toHaveLength(1);
    expect(toasts()).toEqual([]);
  });
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
    expect(panel()).toBeNull();
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
    expect(panel()).toBeNull();
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
    expect(panel()).toBeNull();
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
    expect(panel()).toBeNull();
    expect(button()).toHaveFocus();
    expect(button()).toHaveAttribute('aria-expanded', 'false');
    await person.keyboard('{Enter}');
    await waitFor(() => expect(panel()).toBeVisible());
    await person.click(screen.getByRole('button', { name: 'Close' }));
    expect(panel()).toBeNull();
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
    expect(toasts()).toMatchObject([{ title: 'login failed', text: 'Solve the slider captcha first' }]);
    await expect.poll(toasts).toMatchObject([{ tone: 'warning', title: 'login failed', text: 'wrong' }]);
    expect(panel()).toBeNull();
    expect(password()).toHaveFocus();
    expect(asked.map((body) => 'captchaVerification' in body)).toEqual([false, true]);
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

describe('the page', () => {
  it('shows the tenant’s own face, as text and never as markup', async () => {
    const title = '<img src=x onerror=alert(1)>Anatolian Growers';
    onGet(byWebsite, () =>
      ok({
        id: 4,
        name: 'growers',
        diy: {
          title,
          content: 'Since 1971',
          background: '/field.jpg',
          logo: 'https://x.example/l.png',
          favicon: 'javascript:1',
        },
      }),
    );
    const icon = document.head.appendChild(
      Object.assign(document.createElement('link'), { rel: 'icon', href: '/favicon.svg' }),
    );
    const { container } = open();
    expect(await screen.findAllByText(title)).not.toHaveLength(0);
    expect(screen.getByText('Since 1971')).toBeInTheDocument();
    expect(container.querySelector('img[onerror]')).toBeNull();
    const pictures = [...container.querySelectorAll('img')].map((image) => image.getAttribute('src'));
    expect(pictures).toContain('http://farm.test/field.jpg');
    expect(pictures).toContain('https://x.example/l.png');
    expect(screen.queryByText(/Know your ground/)).toBeNull();
    expect(icon.getAttribute('href')).toBe('/favicon.svg');
    icon.remove();
  });

  it('takes the tenant’s icon for the browser’s tab', async () => {
    onGet(byWebsite, () => ok({ id: 4, name: 'growers', diy: { favicon: '/own.ico' } }));
    const icon = document.head.appendChild(
      Object.assign(document.createElement('link'), { rel: 'icon', href: '/favicon.svg' }),
    );
    const { unmount } = open();
    await expect.poll(() => icon.href).toBe('http://farm.test/own.ico');
    unmount();
    expect(icon.href).toBe('http://farm.test/favicon.svg');
    icon.remove();
  });

  it('speaks another language at once', async () => {
    const { person } = open();
    await person.selectOptions(screen.getByRole('combobox', { name: 'Language' }), 'Русский');
    expect(await screen.findByRole('heading', { name: 'Вход' })).toBeVisible();
    expect(screen.getByRole('button', { name: 'Войти' })).toBeVisible();
    expect(document.title).toBe('Вход · Tilth');
  });

  it('says why somebody is here again', () => {
    open({ ended: true });
    expect(screen.getByRole('status')).toHaveTextContent('You have been signed out');
  });
});
