import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '@/lib/http/api';
import { useLanguage } from '@/lib/i18n/i18n';
import { signOut, useSession } from '@/lib/session/session';
import { openConsole } from '@/test/console';
import { ok, onGet, onPost, refused, server } from '@/test/server';
import { signedIn, tokens } from '@/test/session';
import { shellServer } from '@/test/shellServer';

vi.mock('@/features/alarm/AlarmPage', () => import('@/test/PlainPage'));
vi.mock('@/lib/live/useLive', () => ({
  useLive: () => undefined,
  useLiveStatus: () => ({ state: 'live', lastEventAt: null, storageStoppedAt: null }),
}));
// These pages have their own tests.
vi.mock('@/features/home/HomePage', () => ({ HomePage: () => <h1>The home page</h1> }));
vi.mock('@/features/data/DataPage', () => ({ DataPage: () => <h1>Data center</h1> }));
vi.mock('@/features/notices/NoticesPage', () => ({ NoticesPage: () => <h1>Alarm inform</h1> }));

beforeEach(() => {
  shellServer();
});

const heading = (name: string | RegExp) => screen.findByRole('heading', { name });

describe('the router', () => {
  it('redirects from / to the home page', async () => {
    signedIn();
    const { router } = await openConsole('/');
    expect(await heading('The home page')).toBeVisible();
    expect(router.state.location.href).toBe('/dashboard-default');
  });

  it('shows a page for unknown addresses', async () => {
    await openConsole('/no/such/page');
    expect(await heading('There is no such page')).toBeVisible();
    await expect.poll(() => document.title).toBe('There is no such page · Tilth');
  });
});

describe('without a session', () => {
  it.each([
    ['/', '/signin'],
    ['/dashboard-default', '/signin'],
    ['/profile', '/signin?from=%2Fprofile'],
    ['/message', '/signin?from=%2Fmessage'],
  ])('%s redirects to the sign-in page', async (address, signIn) => {
    const { router } = await openConsole(address);
    expect(await heading('Sign in')).toBeVisible();
    expect(router.state.location.href).toBe(signIn);
  });

  it('signing in leads to the requested page', async () => {
    onPost('/app-api/member/auth/login-username', () => ok(tokens('1')));
    const { router } = await openConsole('/inform?id=5');
    expect(router.state.location.search).toEqual({ from: '/inform?id=5' });
    const person = userEvent.setup();
    await person.type(await screen.findByLabelText('User name'), 'demo');
    await person.type(screen.getByLabelText('Password'), 'secret');
    await person.keyboard('{Enter}');
    expect(await screen.findByRole('heading', { level: 1, name: 'Alarm inform' })).toBeVisible();
    expect(router.state.location.href).toBe('/inform?id=5');
  });

  it('a sign-in in another tab leads on too', async () => {
    await openConsole('/signin');
    await heading('Sign in');
    act(() => {
      signedIn();
    });
    expect(await heading('The home page')).toBeVisible();
  });
});

describe('with a session', () => {
  it('the sign-in page redirects', async () => {
    signedIn();
    const { router } = await openConsole('/signin?from=%2Fdata');
    expect(await screen.findByRole('heading', { level: 1, name: 'Data center' })).toBeVisible();
    expect(router.state.location.pathname).toBe('/data');
  });

  it('that the server ends, the sign-in page says so and leads back after signing in', async () => {
    signedIn();
    onGet('/admin-api/client/pc/notify-message/get-unread-count', () => refused(401));
    onPost('/admin-api/system/auth/refresh-token', () => refused(401));
    const { router } = await openConsole('/alarm');
    expect(await heading('Sign in')).toBeVisible();
    expect(screen.getByText('You have been signed out')).toBeVisible();
    expect(router.state.location.search).toEqual({ from: '/alarm', ended: true });
  });

  it('that had to be renewed after a refusal, the console starts over and offers the way back', async () => {
    signedIn();
    const { router } = await openConsole('/alarm?alarmName=frost');
    await screen.findByRole('heading', { level: 1, name: 'Alarm center' });
    onGet('/app-api/member/user/get', ({ request }) =>
      request.headers.get('Authorization') === 'Bearer access-2' ? ok({ id: 7 }) : refused(401),
    );
    onPost('/admin-api/system/auth/refresh-token', () => ok(tokens('2')));
    await expect(act(() => api.get('/app-api/member/user/get'))).resolves.toEqual({ id: 7 });
    expect(await heading('The home page')).toBeVisible();
    expect(router.state.location.pathname).toBe('/dashboard-default');
    expect(screen.getByText('Your session was renewed').closest('[role=status]')).not.toBeNull();
    await userEvent.setup().click(screen.getByRole('button', { name: 'Back to where you were' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Alarm center' })).toBeVisible();
    expect(router.state.location.href).toBe('/alarm?alarmName=frost');
    expect(screen.queryByText('Your session was renewed')).toBeNull();
  });

  it('that the user ends, the data is cleared and no further calls are made', async () => {
    signedIn();
    const asked: string[] = [];
    const { client } = await openConsole('/alarm');
    await screen.findByRole('button', { name: '3 unread messages' });
    client.setQueryData(['secret'], 'of the first');
    server.events.on('request:start', ({ request }) => asked.push(new URL(request.url).pathname));
    await act(() => signOut());
    expect(await heading('Sign in')).toBeVisible();
    await expect.poll(() => client.getQueryData(['secret'])).toBeUndefined();
    expect(client.getQueryData(['messages', 'unread'])).toBeUndefined();
    expect(asked).toContain('/app-api/member/auth/logout');
    // The sign-in page's own calls continue.
    expect(await screen.findByText('demo')).toBeVisible();
    expect(asked.filter((path) => path.includes('/client/') || path.includes('/user/'))).toEqual([]);
    server.events.removeAllListeners();
  });

  it('of another user, nothing of the first user is shown', async () => {
    signedIn();
    const { client } = await openConsole('/alarm');
    client.setQueryData(['secret'], 'of the first');
    act(() => {
      signedIn({ userId: 8, accessToken: 'access-8' });
    });
    expect(client.getQueryData(['secret'])).toBeUndefined();
    client.setQueryData(['own'], 'of the second');
    act(() => {
      signedIn({ userId: 8, accessToken: 'access-9' });
    });
    expect(client.getQueryData(['own'])).toBe('of the second');
    expect(useSession.getState().session?.accessToken).toBe('access-9');
  });
});

it('refetches from the server after the user has chosen another language', async () => {
  signedIn();
  const languages: (string | null)[] = [];
  onGet('/app-api/member/user/get', ({ request }) => {
    languages.push(request.headers.get('Accept-Language'));
    return ok({
      id: 7,
      userName: 'demo',
      nickname: 'Demo',
      email: '',
      mobile: '',
      avatar: '',
      tenantName: '',
      timeZone: 'UTC',
    });
  });
  await openConsole('/alarm');
  await expect.poll(() => languages).toEqual(['en-us']);
  await act(() => useLanguage.getState().setLanguage('tr-tr'));
  await expect.poll(() => languages).toEqual(['en-us', 'tr-tr']);
});

it('shows an error in place of a broken page, and offers to load it again', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const { router } = await openConsole('/signup');
  const route = Object.values(router.routesById).find((candidate) => candidate.fullPath === '/signup');
  const component = route?.options.component;
  route?.update({
    component: () => {
      throw new Error('no such chunk');
    },
  });
  await act(() => router.invalidate());
  expect(await screen.findByRole('heading', { name: 'This page cannot be shown' })).toBeVisible();
  expect(screen.getByText('no such chunk')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Load again' })).toBeVisible();
  route?.update({ component });
});
