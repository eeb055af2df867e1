import { screen } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { useSession } from '@/lib/session/session';
import { gate } from '@/test/gate';
import { ok, onGet, onPost, refused } from '@/test/server';
import { tokens } from '@/test/session';
import {
  button,
  byWebsite,
  fillSignIn,
  idByName,
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

describe('the form', () => {
  it('signs in to the installation’s tenant if the host has none', async () => {
    const loginRequests = stubLogin();
    const { person, onSubmit } = openSignIn();
    await fillSignIn(person, ' elif.kaya ');
    await person.click(button());
    await expect.poll(() => useSession.getState().session?.accessToken).toBe('access-1');
    expect(loginRequests).toEqual([
      { userName: 'elif.kaya', password: 'correct horse', rememberMe: true, tenantName: 'demo' },
    ]);
    expect(onSubmit).toHaveBeenCalledTimes(1);
    expect(localStorage.getItem('tilth.terms-read.elif.kaya')).toBe('true');
  });

  it('looks the default tenant up by its name first, and sends its id from then on', async () => {
    const steps: string[] = [];
    onGet(idByName, ({ request }) => {
      steps.push(`look-up ${new URL(request.url).searchParams.get('name')}`);
      return ok(7);
    });
    onPost(login, ({ request }) => {
      steps.push(`sign-in ${request.headers.get('tenant-id')}`);
      return ok(tokens('1'));
    });
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    await expect.poll(() => steps).toEqual(['look-up demo', 'sign-in 7']);
  });

  it('signs in to the host’s tenant with Enter, and only for this session if requested', async () => {
    onGet(byWebsite, () => ok({ id: 4, name: 'greenfield', diy: null }));
    const loginRequests = stubLogin();
    const { person } = openSignIn();
    expect(await screen.findByText('greenfield')).toBeVisible();
    await person.click(screen.getByRole('switch', { name: 'Remember me' }));
    await fillSignIn(person);
    await person.keyboard('{Enter}');
    await expect
      .poll(() => loginRequests)
      .toEqual([{ userName: 'elif.kaya', password: 'correct horse', rememberMe: false, tenantName: 'greenfield' }]);
  });

  it('shows what is missing beside the field and focuses it', async () => {
    const { person, onSubmit } = openSignIn();
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

  it('reveals the password on request and hides it again', async () => {
    const { person } = openSignIn();
    expect(password()).toHaveAttribute('type', 'password');
    await person.click(screen.getByRole('button', { name: 'Show the password' }));
    expect(password()).toHaveAttribute('type', 'text');
    await person.click(screen.getByRole('button', { name: 'Hide the password' }));
    expect(password()).toHaveAttribute('type', 'password');
  });

  it('is busy during the request and sends a repeated click once', async () => {
    const answer = gate();
    const loginRequests: string[] = [];
    onPost(login, async () => {
      loginRequests.push('login');
      await answer.passed;
      return ok(tokens('1'));
    });
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    expect(button()).toHaveTextContent('Signing in');
    expect(button()).toHaveAttribute('aria-disabled', 'true');
    await expect.poll(() => loginRequests).toHaveLength(1);
    await person.click(button());
    answer.open();
    await expect.poll(() => useSession.getState().session).not.toBeNull();
    expect(loginRequests).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it('warns that the sign-in failed, with the server’s sentence, and leaves the form ready', async () => {
    onPost(login, () => refused(601, 'The user name or the password is wrong'));
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    await expect
      .poll(toasts)
      .toMatchObject([{ tone: 'warning', title: 'login failed', text: 'The user name or the password is wrong' }]);
    expect(button()).toHaveTextContent('Sign in');
    expect(password()).toHaveFocus();
    expect(useSession.getState().session).toBeNull();
    expect(localStorage.getItem('tilth.terms-read.elif.kaya')).toBeNull();
  });

  it('says that there is no connection', async () => {
    for (const path of [byWebsite, settings]) onGet(path, () => HttpResponse.error());
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    await expect.poll(toasts).toMatchObject([{ title: 'login failed', text: 'Cannot connect to the server' }]);
  });

  it.each([
    ['no default tenant', ''],
    ['one that does not exist', 'demo'],
  ])('says that the address belongs to no tenant, with %s', async (_, defaultTenant) => {
    stubSettings({ defaultTenant });
    onGet(idByName, () => ok(null));
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    await expect
      .poll(toasts)
      .toMatchObject([{ title: 'login failed', text: 'No farm is set up for this address. Ask whoever runs Tilth.' }]);
  });

  it('disappears with the next attempt', async () => {
    onPost(login, () => refused(601, 'wrong'));
    const { person } = openSignIn();
    await fillSignIn(person);
    await person.click(button());
    await expect.poll(toasts).toHaveLength(1);
    const loginRequests = stubLogin();
    await person.click(button());
    await expect.poll(() => loginRequests).toHaveLength(1);
    expect(toasts()).toEqual([]);
  });
});

describe('the page', () => {
  it('shows the tenant’s branding as text, never as markup', async () => {
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
    const { container } = openSignIn();
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

  it('uses the tenant’s icon as favicon', async () => {
    onGet(byWebsite, () => ok({ id: 4, name: 'growers', diy: { favicon: '/own.ico' } }));
    const icon = document.head.appendChild(
      Object.assign(document.createElement('link'), { rel: 'icon', href: '/favicon.svg' }),
    );
    const { unmount } = openSignIn();
    await expect.poll(() => icon.href).toBe('http://farm.test/own.ico');
    unmount();
    expect(icon.href).toBe('http://farm.test/favicon.svg');
    icon.remove();
  });

  it('switches the language at once', async () => {
    const { person } = openSignIn();
    await person.selectOptions(screen.getByRole('combobox', { name: 'Language' }), 'Русский');
    expect(await screen.findByRole('heading', { name: 'Вход' })).toBeVisible();
    expect(screen.getByRole('button', { name: 'Войти' })).toBeVisible();
    await expect.poll(() => document.title).toBe('Вход · Tilth');
  });

  it('says why the user has to sign in again', () => {
    openSignIn({ ended: true });
    expect(screen.getByRole('status')).toHaveTextContent('You have been signed out');
  });
});
