import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { elifAsPerson, invitation, peoplePaths, peopleServer, person } from '@/test/peopleServer';
import { openProfile, sentTo, toasts, waitForDialog, waitForDialogClosed } from '@/test/profileServer';
import { refused } from '@/test/server';
import type { Person } from './queries';

const dialog = () => within(screen.getByRole('dialog'));
const email = () => dialog().getByRole('textbox', { name: /^Email/ });

async function open(invitations = [invitation(1)], mail = true, people?: Person[]) {
  const server = peopleServer(people, invitations);
  server.mail = mail;
  const { person: user } = await openProfile('/profile?tab=people');
  await screen.findByRole('button', { name: 'Invite' });
  return { server, user };
}

async function openForm(mail = true) {
  const opened = await open([], mail);
  await opened.user.click(screen.getByRole('button', { name: 'Invite' }));
  return opened;
}

describe('the invite dialog', () => {
  it('sends an invitation by mail with what was chosen', async () => {
    const { server, user } = await openForm();
    await user.type(email(), ' ada@valley.example ');
    await user.selectOptions(dialog().getByRole('combobox', { name: 'Role' }), 'Operator');
    await user.type(dialog().getByRole('textbox', { name: 'Nickname' }), 'Ada');
    await user.selectOptions(dialog().getByRole('combobox', { name: 'Language of mails' }), 'Türkçe');
    await user.click(dialog().getByRole('button', { name: 'Send invitation' }));
    await waitForDialogClosed();
    expect(sentTo(server.profile, peoplePaths.invite)).toEqual([
      { email: 'ada@valley.example', role: 'operator', nickname: 'Ada', language: 'tr-tr', sendMail: true },
    ]);
    expect(toasts()).toEqual([
      { tone: 'success', title: 'The invitation is on its way to ada@valley.example', text: undefined },
    ]);
    expect(await screen.findByText('Ada')).toBeVisible();
  });

  it('needs a valid address for a mail only', async () => {
    const { server, user } = await openForm();
    await user.click(dialog().getByRole('button', { name: 'Send invitation' }));
    expect(email()).toHaveAccessibleDescription('Please enter an email address');
    expect(email()).toHaveFocus();
    await user.type(email(), 'ada');
    await user.click(dialog().getByRole('radio', { name: 'Pass on the link' }));
    expect(email()).toHaveAccessibleDescription('This email address is not valid');
    await user.clear(email());
    await user.click(dialog().getByRole('button', { name: 'Make link' }));
    await waitForDialog('Pass this link on');
    expect(sentTo(server.profile, peoplePaths.invite)).toEqual([{ role: 'viewer', sendMail: false }]);
  });

  it('proposes the link where the server cannot send mail, and says so where mail is chosen', async () => {
    const { server, user } = await openForm(false);
    const way = (name: string) => dialog().getByRole('radio', { name });
    expect(way('Pass on the link')).toBeChecked();
    expect(dialog().queryByText(/^This server cannot send mail/)).toBeNull();
    await user.click(way('Send by mail'));
    expect(dialog().getByText(/^This server cannot send mail: pass on the link, or ask whoever runs/)).toBeVisible();
    await user.click(dialog().getByRole('button', { name: 'Cancel' }));
    await waitForDialogClosed();
    await user.click(screen.getByRole('button', { name: 'Invite' }));
    expect(way('Pass on the link')).toBeChecked();
    await user.click(dialog().getByRole('button', { name: 'Make link' }));
    await waitForDialog('Pass this link on');
    expect(sentTo(server.profile, peoplePaths.invite)).toEqual([{ role: 'viewer', sendMail: false }]);
  });

  it('says that mail is not set up, and leads to the link', async () => {
    const { server, user } = await openForm();
    server.profile.answers.set(peoplePaths.invite, () => refused(-699, 'This server cannot send mail'));
    await user.type(email(), 'ada@valley.example');
    await user.click(dialog().getByRole('button', { name: 'Send invitation' }));
    const note = await dialog().findByRole('alert');
    expect(note).toHaveTextContent('This server cannot send mail');
    expect(toasts()).toEqual([]);
    server.profile.answers.clear();
    await user.click(within(note).getByRole('button', { name: 'Pass on the link' }));
    expect(dialog().queryByRole('alert')).toBeNull();
    expect(email()).toHaveValue('ada@valley.example');
    await user.click(dialog().getByRole('button', { name: 'Make link' }));
    await waitForDialog('Pass this link on');
  });

  it('shows a refusal of the address at its field', async () => {
    const { server, user } = await openForm();
    server.profile.answers.set(peoplePaths.invite, () => refused(601, 'Email: this address is invited already'));
    await user.type(email(), 'ada@valley.example');
    await user.click(dialog().getByRole('button', { name: 'Send invitation' }));
    await waitFor(() => expect(email()).toHaveAccessibleDescription('this address is invited already'));
    await user.type(email(), 'x');
    expect(email()).not.toBeInvalid();
  });
});

describe('the link', () => {
  async function openLink() {
    const opened = await openForm();
    await opened.user.click(dialog().getByRole('radio', { name: 'Pass on the link' }));
    await opened.user.click(dialog().getByRole('button', { name: 'Make link' }));
    await waitForDialog('Pass this link on');
    return opened;
  }

  it('closes without a question once it is copied', async () => {
    const { user } = await openLink();
    expect(dialog().getByText('https://valley.example/invitation#token-100')).toBeVisible();
    expect(dialog().getByText(/joins this farm with the role “Viewer”: once, until/)).toBeVisible();
    await user.click(dialog().getByRole('button', { name: 'Copy the link' }));
    await user.click(await dialog().findByRole('button', { name: 'Done' }));
    await waitForDialogClosed();
  });

  it('warns once if it was not copied, and then closes', async () => {
    const { user } = await openLink();
    const close = dialog().getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement;
    await user.click(close);
    expect(dialog().getByRole('alert')).toHaveTextContent('Copy it first: it is not shown again.');
    await user.click(close);
    await waitForDialogClosed();
  });
});

describe('the open invitations', () => {
  it('say for whom, as what, by whom and until when', async () => {
    await open([
      invitation(1, { nickname: 'Ada', role: 'operator' }),
      invitation(2, { email: '', mailed: false, expiresTime: Date.now() - 1000 }),
    ]);
    const list = within(await screen.findByRole('region', { name: 'Open invitations' }));
    const [first, second] = list.getAllByRole('listitem');
    expect(first).toHaveTextContent(/^Adaguest-1@valley.exampleOperatorInvited by Elif KayaValid until .*Send again/);
    expect(second).toHaveTextContent(/^Link passed on by handViewerInvited by Elif KayaExpiredNew link/);
  });

  it('are sent again by mail, or with a new link', async () => {
    const { server, user } = await open([invitation(1), invitation(2, { email: '', mailed: false })]);
    await user.click(await screen.findByRole('button', { name: 'Send again: guest-1@valley.example' }));
    await waitFor(() => expect(toasts()).toHaveLength(1));
    await user.click(screen.getByRole('button', { name: 'New link: Link passed on by hand' }));
    await waitForDialog('Pass this link on');
    expect(dialog().getByText('https://valley.example/invitation#token-2')).toBeVisible();
    expect(sentTo(server.profile, peoplePaths.resend)).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it.each([
    ['deleted', 'Ada no longer has an account here'],
    ['disabled', 'Ada is disabled'],
    ['demoted', 'Ada is no longer an owner'],
  ] as const)('of an owner who is %s are withdrawn, until they are sent again', async (withdrawn, why) => {
    const { user } = await open([invitation(1, { invitedBy: 'Ada', withdrawn })]);
    const list = within(await screen.findByRole('region', { name: 'Open invitations' }));
    const row = () => list.getByRole('listitem');
    expect(row()).toHaveTextContent(`Invited by AdaWithdrawn${why}Send againTake back`);
    expect(row()).not.toHaveTextContent('Valid until');
    await user.click(screen.getByRole('button', { name: 'Send again: guest-1@valley.example' }));
    await waitFor(() => expect(row()).toHaveTextContent(/Invited by Elif KayaValid until/));
    expect(row()).not.toHaveTextContent('Withdrawn');
  });

  it('that have expired say so, whoever invited', async () => {
    await open([invitation(1, { withdrawn: 'demoted', expiresTime: Date.now() - 1000 })]);
    const list = within(await screen.findByRole('region', { name: 'Open invitations' }));
    expect(list.getByRole('listitem')).toHaveTextContent('ExpiredSend again');
    expect(list.getByRole('listitem')).not.toHaveTextContent('Withdrawn');
  });

  it('are fetched again when a person was disabled, which withdraws what they invited', async () => {
    const { server, user } = await open([invitation(1, { invitedBy: 'Person 1' })], true, [person(1), elifAsPerson]);
    await user.click(await screen.findByRole('button', { name: 'More for Person 1' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Disable' }));
    server.invitations = [invitation(1, { invitedBy: 'Person 1', withdrawn: 'disabled' })];
    await user.click(dialog().getByRole('button', { name: 'Disable' }));
    await waitForDialogClosed();
    const list = within(screen.getByRole('region', { name: 'Open invitations' }));
    expect(await list.findByText('Person 1 is disabled')).toBeVisible();
  });

  it('are taken back once that is confirmed', async () => {
    const { server, user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Take back: guest-1@valley.example' }));
    expect(dialog().getByText('guest-1@valley.example: the link stops working at once.')).toBeVisible();
    await user.click(dialog().getByRole('button', { name: 'Take back' }));
    await waitForDialogClosed();
    expect(sentTo(server.profile, peoplePaths.takeBack)).toEqual([{ id: '1' }]);
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Open invitations' })).toBeNull());
  });
});
