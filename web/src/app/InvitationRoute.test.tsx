import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useSession } from '@/lib/session/session';
import { openConsole } from '@/test/console';
import { ok, onPost, refused } from '@/test/server';
import { signedIn, tokens } from '@/test/session';
import { shellServer } from '@/test/shellServer';

vi.mock('@/lib/live/useLive', () => ({
  useLive: () => undefined,
  useLiveStatus: () => ({ state: 'live', lastEventAt: null, storageStoppedAt: null }),
}));
vi.mock('@/features/home/HomePage', () => ({ HomePage: () => <h1>The home page</h1> }));

const get = '/app-api/member/auth/invitation/get';
const accept = '/app-api/member/auth/invitation/accept';
const dead = 'This invitation no longer holds';
const offer = {
  tenantName: 'Aydın Valley Growers',
  email: 'ada@valley.example',
  role: 'operator',
  invitedBy: 'Elif Kaya',
  nickname: 'Ada',
  expiresTime: new Date('2026-11-24T10:00:00').getTime(),
};

let tokensRead: unknown[];
beforeEach(() => {
  sessionStorage.clear();
  tokensRead = [];
  shellServer();
  onPost(get, async ({ request }) => {
    tokensRead.push(await request.json());
    return ok(offer);
  });
});

const userName = () => screen.findByRole('textbox', { name: 'User name' });
const password = () => screen.getByLabelText('Password');
const submit = () => screen.getByRole('button', { name: 'Accept and sign in' });

async function open(address = '/invitation#token-1') {
  return { ...(await openConsole(address)), person: userEvent.setup() };
}

describe('the page of an invitation', () => {
  it('says who invites whom to what, and drops the token from the address', async () => {
    const { router } = await open();
    expect(await screen.findByText('Aydın Valley Growers')).toBeVisible();
    expect(screen.getByText('Elif Kaya')).toBeVisible();
    expect(screen.getByText('Operator')).toBeVisible();
    expect(screen.getByText(/^Also changes devices, rules and channels/)).toBeVisible();
    expect(screen.getByText(/^Nov 24, 2026, 10:00/)).toBeVisible();
    expect(screen.getByRole('textbox', { name: 'Nickname' })).toHaveValue('Ada');
    await waitFor(() => expect(router.state.location.href).toBe('/invitation'));
    expect(tokensRead).toEqual([{ token: 'token-1' }]);
    expect(screen.queryByText('Somebody is signed in here')).toBeNull();
  });

  it('finds the token again after a reload of the tab', async () => {
    const { unmount } = await open();
    await userName();
    unmount();
    await open('/invitation');
    await userName();
    expect(tokensRead).toEqual([{ token: 'token-1' }, { token: 'token-1' }]);
  });

  it('accepts, signs in and leads home', async () => {
    const sent: unknown[] = [];
    onPost(accept, async ({ request }) => {
      sent.push(await request.json());
      return ok(tokens('new'));
    });
    const { router, person } = await open();
    await person.type(await userName(), ' ada ');
    await person.type(password(), 'correct horse');
    await person.click(submit());
    expect(await screen.findByRole('heading', { name: 'The home page' })).toBeVisible();
    expect(sent).toEqual([{ token: 'token-1', userName: 'ada', password: 'correct horse', nickname: 'Ada' }]);
    expect(useSession.getState().session?.accessToken).toBe('access-new');
    expect(router.state.location.pathname).toBe('/dashboard-default');
    expect(sessionStorage.getItem('tilth.invitation')).toBeNull();
  });

  it('says of a dead token why, and leads to the sign-in page', async () => {
    onPost(get, () => refused(601, dead));
    const { person, router } = await open();
    expect(await screen.findByText(dead)).toBeVisible();
    expect(screen.queryByRole('textbox')).toBeNull();
    await person.click(screen.getByRole('link', { name: 'To the sign-in page' }));
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeVisible();
    expect(router.state.location.pathname).toBe('/signin');
  });

  it('leads somebody who is signed in home instead', async () => {
    signedIn();
    onPost(get, () => refused(601, dead));
    const { person, router } = await open();
    await person.click(await screen.findByRole('link', { name: 'To the sign-in page' }));
    expect(await screen.findByRole('heading', { name: 'The home page' })).toBeVisible();
    expect(router.state.location.pathname).toBe('/dashboard-default');
  });

  it('asks for the whole link where there is no token', async () => {
    await open('/invitation');
    expect(await screen.findByText(/^The link is not complete/)).toBeVisible();
    expect(tokensRead).toEqual([]);
  });

  it('says at its field that a user name is taken, and keeps what was typed', async () => {
    onPost(accept, () => refused(601, 'User name: somebody has this name already. Choose another one'));
    const { person } = await open();
    await person.type(await userName(), 'elif');
    await person.type(password(), 'correct horse');
    await person.click(submit());
    const field = await userName();
    await waitFor(() =>
      expect(field).toHaveAccessibleDescription('somebody has this name already. Choose another one'),
    );
    expect(field).toHaveFocus();
    expect(field).toHaveValue('elif');
    expect(password()).toHaveValue('correct horse');
    await person.type(field, '2');
    expect(field).toHaveAccessibleDescription('You sign in with it. No spaces.');
  });

  it('says above the form that the invitation was used meanwhile', async () => {
    onPost(accept, () => refused(601, dead));
    const { person } = await open();
    await person.type(await userName(), 'ada');
    await person.type(password(), 'correct horse');
    await person.click(submit());
    expect((await screen.findByText(dead)).closest('form')).not.toBeNull();
  });

  it('shows what is missing, and that a password is too short', async () => {
    const { person } = await open();
    await userName();
    await person.click(submit());
    expect(await userName()).toHaveAccessibleDescription('Please enter a user name');
    expect(await userName()).toHaveFocus();
    await person.type(password(), '12345');
    expect(password()).toHaveAccessibleDescription('At least 6 characters');
    expect(password()).toBeInvalid();
    await person.click(screen.getByRole('button', { name: 'Show the password' }));
    expect(password()).toHaveAttribute('type', 'text');
  });

  it('says that somebody is signed in, and replaces that session', async () => {
    signedIn();
    onPost(accept, ({ request }) => {
      expect(request.headers.get('Authorization')).toBeNull();
      return ok({ ...tokens('new'), userId: 8 });
    });
    const { person } = await open();
    expect(await screen.findByText('Somebody is signed in here')).toBeVisible();
    await person.type(await userName(), 'ada');
    await person.type(password(), 'correct horse');
    await person.click(submit());
    expect(await screen.findByRole('heading', { name: 'The home page' })).toBeVisible();
    expect(useSession.getState().session?.userId).toBe(8);
  });

  it('stays when the session that was here ends', async () => {
    signedIn({ expiresAt: Date.now() - 1000, renewAt: Date.now() - 2000 });
    onPost('/admin-api/system/auth/refresh-token', () => refused(401));
    const { router } = await open();
    await userName();
    await waitFor(() => expect(useSession.getState().session).toBeNull());
    expect(await userName()).toBeVisible();
    expect(router.state.location.pathname).toBe('/invitation');
    expect(screen.queryByText('Somebody is signed in here')).toBeNull();
  });
});
