import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useSession } from '@/lib/session/session';
import { takeBegun } from '@/lib/session/signOn';
import { openConsole } from '@/test/console';
import { ok, onGet, onPost, refused } from '@/test/server';
import { signedIn, tokens } from '@/test/session';
import { shellServer } from '@/test/shellServer';
import { stubWays, toasts } from '@/test/signin';
import { pageLoader } from './freshDocument';

// These pages have their own tests.
vi.mock('@/lib/live/useLive', () => ({
  useLive: () => undefined,
  useLiveStatus: () => ({ state: 'live', lastEventAt: null, storageStoppedAt: null }),
}));
vi.mock('@/features/home/HomePage', () => ({ HomePage: () => <h1>The home page</h1> }));
vi.mock('@/features/data/DataPage', () => ({ DataPage: () => <h1>Data center</h1> }));

const exchange = '/app-api/member/auth/oidc-session';
const begun = (value: object) => sessionStorage.setItem('tilth.sign-on', JSON.stringify(value));

const failureNote = async () => (await screen.findByText('You are not signed in')).closest('[role=alert]');

beforeEach(() => {
  shellServer();
  sessionStorage.clear();
});

describe('the way to the farm’s own sign-in', () => {
  it('is offered with its name, and leads there with the digest of a secret that stays here', async () => {
    const assign = vi.fn();
    vi.stubGlobal('location', { ...window.location, href: window.location.href, assign });
    stubWays('Farm Login');
    await openConsole('/inform?id=5');
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Sign in with Farm Login' }));
    await expect.poll(() => assign.mock.calls.length).toBe(1);
    const url = new URL(assign.mock.calls[0]?.[0]);
    const kept = takeBegun();
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(kept?.secret));
    expect(url.pathname).toBe('/auth/oidc/start');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tenant: 'demo',
      binding: Buffer.from(digest).toString('base64url'),
      return: '/inform?id=5',
    });
    expect(kept).toEqual({ secret: expect.stringMatching(/^[\w-]{43}$/), from: '/inform?id=5' });
    vi.unstubAllGlobals();
  });

  it('is not there without one', async () => {
    await openConsole('/signin');
    await screen.findByRole('heading', { name: 'Sign in' });
    expect(screen.queryByRole('button', { name: /^Sign in with/ })).toBeNull();
  });
});

describe('back from the farm’s own sign-in', () => {
  it('exchanges the ticket with the secret of this tab, and leads to the page', async () => {
    const sent: unknown[] = [];
    onPost(exchange, async ({ request }) => {
      sent.push(await request.json());
      return ok(tokens('1'));
    });
    begun({ secret: 'what this tab knows' });
    const { router } = await openConsole('/signin#ticket=T1&return=%2Fdata');
    expect(await screen.findByRole('heading', { level: 1, name: 'Data center' })).toBeVisible();
    expect(sent).toEqual([{ ticket: 'T1', binding: 'what this tab knows' }]);
    expect(router.state.location.href).toBe('/data');
    expect(useSession.getState().session?.signOn).toBe(true);
    expect(sessionStorage.getItem('tilth.sign-on')).toBeNull();
  });

  it('never leads to another site', async () => {
    onPost(exchange, () => ok(tokens('1')));
    begun({ secret: 'x', from: 'https://evil.example' });
    const { router } = await openConsole('/signin#ticket=T1&return=%2F%2Fevil.example');
    expect(await screen.findByRole('heading', { name: 'The home page' })).toBeVisible();
    expect(router.state.location.href).toBe('/dashboard-default');
  });

  it('says that the ticket does not hold, and leaves the form ready', async () => {
    onPost(exchange, () => refused(601, 'This sign-in no longer holds'));
    begun({ secret: 'x' });
    const { router } = await openConsole('/signin#ticket=T1');
    expect(await failureNote()).toHaveTextContent('This sign-in no longer holds');
    expect(screen.getByLabelText('User name')).toBeVisible();
    expect(router.state.location.href).toBe('/signin');
  });

  it('a ticket that this tab did not ask for is not exchanged', async () => {
    await openConsole('/signin#ticket=T1');
    expect(await failureNote()).toHaveTextContent('Start it again');
  });

  it.each([
    ['denied', 'Try again, or ask for access'],
    ['expired', 'Start it again'],
    ['unverified', 'Have it confirmed'],
    ['unknown', 'Ask an owner to invite'],
    ['ambiguous', 'link the right one'],
    ['disabled', 'Ask an owner of your farm'],
    ['norole', 'Ask whoever manages your account'],
    ['clock', 'Tell whoever runs Tilth'],
    ['failed', 'Try again in a minute'],
    ['another', 'Try again in a minute'],
  ])('%s has a sentence that says what to do', async (failure, text) => {
    begun({ secret: 'x', from: '/data' });
    const { router } = await openConsole(`/signin#oidc=${failure}`);
    expect(await failureNote()).toHaveTextContent(text);
    expect(router.state.location.href).toBe('/signin');
    expect(sessionStorage.getItem('tilth.sign-on')).toBeNull();
  });

  it('with a session, as after linking, exchanges the ticket all the same', async () => {
    signedIn();
    onPost(exchange, () => ok(tokens('2')));
    begun({ secret: 'x' });
    const { router } = await openConsole('/signin#ticket=T1&return=%2Fdata');
    await expect.poll(() => useSession.getState().session?.accessToken).toBe('access-2');
    expect(await screen.findByRole('heading', { level: 1, name: 'Data center' })).toBeVisible();
    expect(router.state.location.href).toBe('/data');
  });

  it('takes the ticket at once on a phone, too', async () => {
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone) Mobile');
    const load = vi.spyOn(pageLoader, 'load').mockImplementation(() => undefined);
    onPost(exchange, () => ok(tokens('1')));
    begun({ secret: 'x' });
    await openConsole('/signin#ticket=T1&return=%2Fdata');
    expect(await screen.findByRole('heading', { level: 1, name: 'Data center' })).toBeVisible();
    expect(load).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('with a session, says why linking failed, and goes back', async () => {
    signedIn();
    begun({ secret: 'x', from: '/data' });
    const { router } = await openConsole('/signin#oidc=ambiguous');
    expect(await screen.findByRole('heading', { level: 1, name: 'Data center' })).toBeVisible();
    expect(router.state.location.href).toBe('/data');
    expect(toasts()).toMatchObject([{ tone: 'warning', title: 'The account could not be linked' }]);
  });
});

it('a session of the farm’s own sign-in ends there, too', async () => {
  const assign = vi.fn();
  vi.stubGlobal('location', { ...window.location, assign });
  const { signOut } = await import('@/lib/session/session');
  signedIn();
  useSession.setState(({ session }) => ({ session: session && { ...session, signOn: true } }));
  onPost('/app-api/member/auth/oidc-logout', () => ok({ url: 'https://login.example/end' }));
  await signOut();
  expect(assign).toHaveBeenCalledWith('https://login.example/end');
  onGet('/app-api/member/auth/ways', () => ok({ password: true, oidc: null }));
  vi.unstubAllGlobals();
});
