import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { saveFile } from '@/lib/http/download';
import { setWidth } from '@/test/mediaQueries';
import {
  elif,
  enrolment,
  openProfile,
  paths,
  profileServer,
  recoveryCodes,
  sentTo,
  toasts,
  type User,
  waitForDialog,
  waitForDialogClosed,
} from '@/test/profileServer';
import { refused } from '@/test/server';

vi.mock('@/lib/http/download', async (original) => ({ ...(await original<object>()), saveFile: vi.fn() }));

const card = () => within(screen.getByRole('region', { name: 'Second factor' }));
const button = (name: string) => card().getByRole('button', { name });

async function open(change: Partial<User> = {}) {
  const server = profileServer({ user: { ...elif, ...change } });
  const opened = await openProfile('/profile?tab=password');
  await screen.findByRole('heading', { name: 'Second factor' });
  return { server, ...opened };
}

/** Turns it on up to the step with the key. */
async function begin() {
  const opened = await open();
  await opened.person.click(button('Turn on'));
  const proof = within(await waitForDialog('Turn on the second factor'));
  await opened.person.type(proof.getByLabelText(/^Password/), 'correct horse');
  await opened.person.click(proof.getByRole('button', { name: 'Next' }));
  return { ...opened, dialog: within(await waitForDialog('Set up the second factor')) };
}

describe('turning it on', () => {
  it('asks for the password, shows the key, takes the first code and shows the recovery codes once', async () => {
    const { server, person, dialog } = await begin();
    expect(sentTo(server, paths.totpBegin)).toEqual([{ password: 'correct horse' }]);
    expect(dialog.getByRole('img', { name: 'QR code of the key' })).toBeVisible();
    expect(dialog.getByText(enrolment.secret)).toBeVisible();
    expect(dialog.queryByRole('link')).toBeNull();
    const code = dialog.getByLabelText(/^Code of the app/);
    expect(code).toHaveFocus();
    expect(code).toHaveAttribute('inputmode', 'numeric');
    expect(code).toHaveAttribute('autocomplete', 'one-time-code');
    await person.click(code);
    await person.paste('123 456');
    await person.click(dialog.getByRole('button', { name: 'Turn on' }));

    const codes = within(await waitForDialog('Recovery codes'));
    expect(sentTo(server, paths.totpConfirm)).toEqual([{ code: '123 456' }]);
    expect(codes.getByText(/7K3Q-9DMX-2B4F/)).toHaveTextContent(recoveryCodes.join(' '));
    await person.click(codes.getByRole('button', { name: 'Download as a file' }));
    const [file, name] = vi.mocked(saveFile).mock.lastCall ?? [];
    expect(name).toBe('recovery-codes.txt');
    expect(await file?.text()).toBe('7K3Q-9DMX-2B4F\n0000-1111-2222\n');
    expect(codes.getByRole('button', { name: 'Done' })).toBeDisabled();
    await person.click(codes.getByRole('checkbox', { name: 'I have stored the codes' }));
    await person.click(codes.getByRole('button', { name: 'Done' }));
    await waitForDialogClosed();
    expect(document.body.innerHTML).not.toContain('7K3Q');
    expect(document.body.innerHTML).not.toContain(enrolment.secret);
    expect(card().getByText('On')).toBeVisible();
    expect(button('New recovery codes')).toHaveFocus();
  });

  it('shows a wrong password and a wrong code at their fields', async () => {
    const { server, person } = await open();
    await person.click(button('Turn on'));
    const proof = within(await waitForDialog('Turn on the second factor'));
    await person.click(proof.getByRole('button', { name: 'Next' }));
    expect(proof.getByLabelText(/^Password/)).toHaveAccessibleDescription('Please enter the password');
    server.answers.set(paths.totpBegin, () => refused(601, 'Password: This is not your current password'));
    const next = proof.getByRole('button', { name: 'Next' });
    await person.type(proof.getByLabelText(/^Password/), 'x');
    await person.click(next);
    await waitFor(() =>
      expect(proof.getByLabelText(/^Password/)).toHaveAccessibleDescription('This is not your current password'),
    );
    expect(proof.getByLabelText(/^Password/)).toHaveFocus();
    server.answers.set(paths.totpBegin, () => refused(601, 'Your second factor is on'));
    await person.type(proof.getByLabelText(/^Password/), 'y');
    await person.click(next);
    expect(await proof.findByRole('alert')).toHaveTextContent('Your second factor is on');
    server.answers.delete(paths.totpBegin);
    await person.type(proof.getByLabelText(/^Password/), 'z');
    await person.click(next);
    const setUp = within(await waitForDialog('Set up the second factor'));
    const code = setUp.getByLabelText(/^Code of the app/);
    await person.click(setUp.getByRole('button', { name: 'Turn on' }));
    expect(code).toHaveAccessibleDescription('Please enter the code');
    server.answers.set(paths.totpConfirm, () => refused(601, 'This code does not fit the key'));
    await person.type(code, '000000{Enter}');
    await waitFor(() => expect(code).toHaveAccessibleDescription('This code does not fit the key'));
    await person.type(code, '1');
    expect(code).toHaveAccessibleDescription('Six digits, new ones every 30 seconds.');
    expect(toasts()).toEqual([]);
  });

  it('offers on a phone to open the key in an app there', async () => {
    setWidth(390);
    const { dialog } = await begin();
    expect(dialog.getByRole('link', { name: 'Open it in an app on this phone' })).toHaveAttribute(
      'href',
      enrolment.uri,
    );
  });
});

describe('while it is on', () => {
  it('makes new recovery codes with a code', async () => {
    const { server, person } = await open({ secondFactor: true });
    await person.click(button('New recovery codes'));
    const proof = within(await waitForDialog('New recovery codes'));
    expect(proof.queryByLabelText(/^Password/)).toBeNull();
    const code = proof.getByLabelText(/^Code of the app, or a recovery code/);
    server.answers.set(paths.totpCodes, () => refused(601, 'This code is wrong'));
    await person.type(code, '000000{Enter}');
    await waitFor(() => expect(code).toHaveAccessibleDescription('This code is wrong'));
    server.answers.delete(paths.totpCodes);
    await person.type(code, '1{Enter}');
    expect(within(await waitForDialog('Recovery codes')).getByText(/7K3Q/)).toBeVisible();
    expect(sentTo(server, paths.totpCodes)).toEqual([{ code: '000000' }, { code: '0000001' }]);
  });

  it('moves to another phone with the password and a code', async () => {
    const { server, person } = await open({ secondFactor: true });
    await person.click(button('Use another phone'));
    const proof = within(await waitForDialog('Use another phone'));
    expect(proof.getByText('The old phone works until the new one is set up.')).toBeVisible();
    await person.type(proof.getByLabelText(/^Password/), 'correct horse');
    await person.type(proof.getByLabelText(/^Code of the app/), '7K3Q-9DMX-2B4F');
    await person.click(proof.getByRole('button', { name: 'Next' }));
    await waitForDialog('Set up the second factor');
    expect(sentTo(server, paths.totpBegin)).toEqual([{ password: 'correct horse', code: '7K3Q-9DMX-2B4F' }]);
  });

  it('turns it off with the password and a code', async () => {
    const { server, person } = await open({ secondFactor: true });
    await person.click(button('Turn off'));
    const proof = within(await waitForDialog('Turn off the second factor'));
    await person.type(proof.getByLabelText(/^Password/), 'correct horse');
    await person.type(proof.getByLabelText(/^Code of the app/), '123456');
    await person.click(proof.getByRole('button', { name: 'Turn off' }));
    await waitForDialogClosed();
    expect(sentTo(server, paths.totpDisable)).toEqual([{ password: 'correct horse', code: '123456' }]);
    expect(toasts()).toMatchObject([{ tone: 'success', title: 'The second factor is off' }]);
    await waitFor(() => expect(button('Turn on')).toBeVisible());
  });
});

describe('where it is required', () => {
  it('cannot be turned off', async () => {
    await open({ secondFactor: true, secondFactorRequired: true });
    expect(card().getByText(/so it cannot be turned off/)).toBeVisible();
    expect(card().queryByRole('button', { name: 'Turn off' })).toBeNull();
    expect(button('Use another phone')).toBeVisible();
  });

  it('tells whoever has none to turn it on', async () => {
    await open({ secondFactorRequired: true });
    expect(card().getByText(/otherwise this session ends soon/)).toBeVisible();
    expect(button('Turn on')).toBeVisible();
  });
});
