import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { useSession } from '@/lib/session/session';
import { enrolment, recoveryCodes, waitForDialog, waitForDialogClosed } from '@/test/profileServer';
import { ok, onGet, onPost, refused } from '@/test/server';
import { tokens } from '@/test/session';
import {
  button,
  byWebsite,
  fillSignIn,
  login,
  openRoutedSignIn,
  password,
  stubSettings,
  toasts,
  userName,
} from '@/test/signin';

const codePath = '/app-api/member/auth/login-code';
const beginPath = '/app-api/member/auth/login-totp-begin';
const confirmPath = '/app-api/member/auth/login-totp-confirm';
const code = () => screen.getByLabelText('Code of the app');
const token = () => useSession.getState().session?.accessToken;

beforeEach(() => {
  onGet(byWebsite, () => ok(null));
  stubSettings();
});

/** Signs in with a password that alone is not enough. */
async function signIn(step: 'codeRequired' | 'enrolRequired') {
  onPost(login, () => refused(601, 'Enter the code', { [step]: true, ticket: 'ticket-1' }));
  const { person } = await openRoutedSignIn();
  await fillSignIn(person);
  await person.click(button());
  return { person };
}

/** Answers the calls of a path and records what they send. */
function answer(path: string, act: () => Response) {
  const sent: unknown[] = [];
  onPost(path, async ({ request }) => {
    sent.push(await request.json());
    return act();
  });
  return sent;
}

describe('the code', () => {
  it('is asked for after the password, and finishes the sign-in', async () => {
    const sent = answer(codePath, () => ok(tokens('1')));
    const { person } = await signIn('codeRequired');
    await waitFor(() => expect(code()).toHaveFocus());
    expect(screen.queryByLabelText('Password')).toBeNull();
    expect(toasts()).toEqual([]);
    expect(code()).toHaveAttribute('inputmode', 'numeric');
    expect(code()).toHaveAttribute('autocomplete', 'one-time-code');
    await person.paste('123 456');
    await person.keyboard('{Enter}');
    await expect.poll(token).toBe('access-1');
    expect(sent).toEqual([{ ticket: 'ticket-1', code: '123 456' }]);
    expect(localStorage.getItem('tilth.terms-read.elif.kaya')).toBe('true');
  });

  it('that is missing or wrong is said at the field', async () => {
    answer(codePath, () => refused(601, 'This code is wrong, or was used already'));
    const { person } = await signIn('codeRequired');
    await waitFor(() => expect(code()).toHaveFocus());
    await person.click(button());
    expect(code()).toHaveAccessibleDescription('Please enter the code');
    await person.type(code(), '000000{Enter}');
    await waitFor(() => expect(code()).toHaveAccessibleDescription('This code is wrong, or was used already'));
    expect(code()).toHaveFocus();
    expect(toasts()).toEqual([]);
    await person.keyboard('1'); // replaces the selected code
    expect(code()).toHaveValue('1');
    expect(code()).not.toHaveAccessibleDescription();
  });

  it('may be a recovery code', async () => {
    const sent = answer(codePath, () => ok(tokens('1')));
    const { person } = await signIn('codeRequired');
    await person.click(await screen.findByRole('button', { name: 'Use a recovery code' }));
    const field = screen.getByLabelText('Recovery code');
    expect(field).toHaveFocus();
    expect(field).toHaveAttribute('inputmode', 'text');
    await person.click(screen.getByRole('button', { name: 'Use the code of the app' }));
    expect(code()).toHaveFocus();
    await person.click(screen.getByRole('button', { name: 'Use a recovery code' }));
    await person.type(screen.getByLabelText('Recovery code'), '7k3q 9dmx 2b4f{Enter}');
    await expect.poll(token).toBe('access-1');
    expect(sent).toEqual([{ ticket: 'ticket-1', code: '7k3q 9dmx 2b4f' }]);
  });

  it('leads back to the password when the ticket is over, with why', async () => {
    answer(codePath, () => refused(601, 'This sign-in took too long', { ticketOver: true }));
    const { person } = await signIn('codeRequired');
    await waitFor(() => expect(code()).toHaveFocus());
    await person.type(code(), '123456{Enter}');
    await waitFor(() => expect(password()).toHaveFocus());
    expect(userName()).toHaveValue('elif.kaya');
    expect(toasts()).toMatchObject([{ tone: 'warning', title: 'login failed', text: 'This sign-in took too long' }]);
  });

  it('can be left for another try with the password', async () => {
    const { person } = await signIn('codeRequired');
    await person.click(await screen.findByRole('button', { name: 'Back to the password' }));
    expect(password()).toHaveFocus();
    expect(toasts()).toEqual([]);
    await person.click(button());
    await waitFor(() => expect(code()).toHaveFocus());
  });
});

describe('a second factor that is required', () => {
  it('is set up, and the session begins once the recovery codes are stored', async () => {
    const begun = answer(beginPath, () => ok(enrolment));
    const confirmed = answer(confirmPath, () => ok({ ...tokens('1'), recoveryCodes }));
    const { person } = await signIn('enrolRequired');
    expect(await screen.findByRole('img', { name: 'QR code of the key' })).toBeVisible();
    expect(
      screen.getByText('This farm requires a second factor. Set it up once, and you are signed in.'),
    ).toBeVisible();
    await person.type(screen.getByLabelText(/^Code of the app/), '123456{Enter}');
    const codes = within(await waitForDialog('Recovery codes'));
    expect(token()).toBeUndefined();
    await person.click(codes.getByRole('checkbox', { name: 'I have stored the codes' }));
    await person.click(codes.getByRole('button', { name: 'Done' }));
    await waitForDialogClosed();
    await expect.poll(token).toBe('access-1');
    expect(begun).toEqual([{ ticket: 'ticket-1' }]);
    expect(confirmed).toEqual([{ ticket: 'ticket-1', code: '123456' }]);
  });

  it('says at the field what is wrong with the code, and goes back when the ticket is over', async () => {
    answer(beginPath, () => ok(enrolment));
    answer(confirmPath, () => refused(601, 'This code does not fit the key'));
    const { person } = await signIn('enrolRequired');
    const field = await screen.findByLabelText(/^Code of the app/);
    await person.type(field, '000000{Enter}');
    await waitFor(() => expect(field).toHaveAccessibleDescription('This code does not fit the key'));
    answer(confirmPath, () => refused(601, 'This sign-in took too long', { ticketOver: true }));
    await person.type(field, '1{Enter}');
    await waitFor(() => expect(password()).toHaveFocus());
    expect(toasts()).toMatchObject([{ tone: 'warning', text: 'This sign-in took too long' }]);
  });

  it('offers another try when the key cannot be fetched', async () => {
    answer(beginPath, () => refused(601, 'This sign-in took too long', { ticketOver: true }));
    const { person } = await signIn('enrolRequired');
    expect(await screen.findByText('This sign-in took too long')).toBeVisible();
    answer(beginPath, () => ok(enrolment));
    await person.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByRole('img', { name: 'QR code of the key' })).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Back to the password' }));
    expect(password()).toHaveFocus();
  });
});
