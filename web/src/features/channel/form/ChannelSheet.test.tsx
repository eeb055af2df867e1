import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { useSession } from '@/lib/session/session';
import { askedOf, type ChannelServer, channelServer, names, openChannels, paths, sentTo } from '@/test/channelServer';
import { toasts } from '@/test/profileServer';
import { channel } from '@/test/samples';
import { refused } from '@/test/server';
import { signedIn } from '@/test/session';

let server: ChannelServer;
type Opened = Awaited<ReturnType<typeof openChannels>>;
type User = Opened['user'];

beforeEach(() => {
  server = channelServer([channel({ ruleCount: 2, ruleNames: ['Spring frost', 'Row 12 too dry'] })]);
});

const form = () => within(screen.getByRole('dialog', { name: /^(New channel|Edit )/ }));
const box = (name: string) => form().getByRole('checkbox', { name });
const field = (name: string | RegExp) => form().getByRole('textbox', { name });
const clickButton = (user: User, name: string) => user.click(form().getByRole('button', { name }));
const fields = (name: RegExp) =>
  form()
    .queryAllByRole('textbox', { name })
    .map((input) => (input as HTMLInputElement).value);

async function open(address: string) {
  const opened = await openChannels(server, address);
  await screen.findByRole('dialog');
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return opened;
}
const openNew = () => open('/notification?channel=new');
const openOne = () => open('/notification?channel=1');
const expectSheetClosed = ({ router }: Pick<Opened, 'router'>) =>
  waitFor(() => expect(router.state.location.search).not.toHaveProperty('channel'));

describe('a kind that not every server has', () => {
  const chats = [{ mode: 'telegram', recipients: ['-1001234567890'] }];

  it('is offered and saved where it is set up', async () => {
    server.ways.others = ['telegram'];
    const { user, router } = await openNew();
    await user.type(field('Name'), 'Chats');
    await user.click(box('Telegram'));
    await user.type(field('Chat 1'), '−1001234567890');
    await clickButton(user, 'Save');
    await expectSheetClosed({ router });
    expect(sentTo(server, paths.create)).toMatchObject([{ noticeMode: [], others: chats }]);
  });

  it('says what a recipient is, and which one is none', async () => {
    server.ways.others = ['telegram'];
    const { user } = await openNew();
    await user.click(box('Telegram'));
    expect(form().getByText(/^A chat’s id .+ First write to this installation’s bot/)).toBeVisible();
    await user.type(field('Chat 1'), 'elm watchers');
    await user.tab();
    expect(field('Chat 1')).toHaveAccessibleDescription('Not a recipient for Telegram: elm watchers');
    await user.clear(field('Chat 1'));
    await user.type(field('Chat 1'), '-5');
    await clickButton(user, 'Add a chat');
    expect(field('Chat 2')).toHaveFocus();
    await user.type(field('Chat 2'), '@elm_alerts');
    expect(form().getByText('2 of 20')).toBeVisible();
    expect(form().queryByText(/^Not a recipient/)).toBeNull();
  });

  it('is not offered elsewhere', async () => {
    await openNew();
    expect(box('SMS')).toBeVisible();
    expect(form().queryByRole('checkbox', { name: 'Telegram' })).toBeNull();
  });

  it('stays in a channel that uses it, with a note', async () => {
    server = channelServer([channel({ others: chats })]);
    await openOne();
    expect(box('Telegram')).toBeChecked();
    expect(fields(/^Chat/)).toEqual(['-1001234567890']);
    expect(form().getByText(/^No Telegram bot is set up/)).toBeVisible();
  });
});

describe('a new channel', () => {
  it('is created from the filled-in form', async () => {
    const { user, router } = await openNew();
    expect(field('Name')).toHaveFocus();
    await user.type(field('Name'), ' Office ');
    expect(fields(/^Address/)).toEqual([]);
    await user.click(box('Email'));
    expect(field('Address 1')).toHaveFocus();
    await user.type(field('Address 1'), 'a@farm.example');
    await clickButton(user, 'Add an address');
    expect(field('Address 2')).toHaveFocus();
    await user.type(field('Address 2'), 'b@farm.example');
    expect(form().getByText('2 of 20')).toBeVisible();
    await user.click(box('SMS'));
    await user.type(field('Number 1'), '+90 555 111 22 33');
    await user.selectOptions(form().getByRole('combobox', { name: 'Language' }), 'Türkçe');
    await clickButton(user, 'Save');
    await expectSheetClosed({ router });
    expect(sentTo(server, paths.create)).toEqual([
      {
        noticeName: 'Office',
        noticeMode: ['email', 'phoneMessage'],
        email: { emails: ['a@farm.example', 'b@farm.example'] },
        phoneMessage: ['+905551112233'],
        others: [],
        language: 'tr-tr',
      },
    ]);
    expect(toasts()).toEqual([{ tone: 'success', title: 'created successfully' }]);
    await waitFor(() => expect(names()).toEqual(['Office', 'Night crew']));
    expect(screen.queryByText('Discard the changes?')).toBeNull();
  });

  it('requires a name, a kind, and a recipient for each kind', async () => {
    const { user } = await openNew();
    await clickButton(user, 'Save');
    expect(field('Name')).toHaveAccessibleDescription('Please enter a name');
    expect(field('Name')).toHaveFocus();
    expect(box('Email')).toHaveAccessibleDescription('Select at least one mode');
    await user.type(field('Name'), 'Office');
    await clickButton(user, 'Save');
    expect(box('Email')).toHaveFocus();
    await user.click(box('Email'));
    await user.click(box('SMS'));
    expect(form().queryByText('Select at least one mode')).toBeNull();
    expect(field('Address 1')).toHaveAccessibleDescription('Add at least one email address');
    expect(field('Number 1')).toHaveAccessibleDescription('Add at least one phone number');
    await clickButton(user, 'Save');
    expect(field('Address 1')).toHaveFocus();
    expect(server.sent).toEqual([]);
  });

  it('shows a recipient’s error once the user leaves its field', async () => {
    const { user } = await openNew();
    await user.click(box('Email'));
    await user.type(field('Address 1'), 'crew@valley');
    expect(field('Address 1')).toBeValid();
    await user.tab();
    expect(field('Address 1')).toHaveAccessibleDescription('Not an email address: crew@valley');
    await user.type(field('Address 1'), '.example');
    expect(form().queryByText(/^Not an email/)).toBeNull();
    await user.click(box('SMS'));
    await user.type(field('Number 1'), '0555');
    await user.tab();
    expect(field('Number 1')).toHaveAccessibleDescription('Not a phone number: 0555');
  });

  it('has up to three numbers; removing the last one empties its field', async () => {
    const { user } = await openNew();
    await user.click(box('SMS'));
    await user.type(field('Number 1'), '+905550000001');
    await clickButton(user, 'Add a number');
    await user.type(field('Number 2'), '+905550000002');
    await clickButton(user, 'Add a number');
    expect(form().queryByRole('button', { name: 'Add a number' })).toBeNull();
    await clickButton(user, 'Remove Number 3');
    await clickButton(user, 'Remove +905550000001');
    expect(fields(/^Number/)).toEqual(['+905550000002']);
    expect(field('Number 1')).toHaveFocus();
    await clickButton(user, 'Remove +905550000002');
    expect(fields(/^Number/)).toEqual(['']);
    expect(form().queryByRole('button', { name: /^Remove/ })).toBeNull();
    expect(box('SMS')).toBeChecked();
  });

  it('splits a pasted list of recipients as far as they fit', async () => {
    const { user } = await openNew();
    await user.click(box('Email'));
    await user.click(field('Address 1'));
    await user.paste('Ada <a@farm.example>, b@farm.example\nc@farm.example');
    expect(fields(/^Address/)).toEqual(['a@farm.example', 'b@farm.example', 'c@farm.example']);
    await user.click(field('Address 2'));
    await user.paste('x');
    expect(fields(/^Address/)[1]).toBe('b@farm.examplex');
    await user.click(box('SMS'));
    await user.click(field('Number 1'));
    await user.paste('+905550000001;+905550000002;+905550000003;+905550000004');
    expect(fields(/^Number/)).toEqual(['+905550000001', '+905550000002', '+905550000003']);
    expect(toasts()).toEqual([{ tone: 'warning', title: 'Only 3 fit in here, the rest was left out' }]);
  });

  it('shows a refusal of the server at the field that it names', async () => {
    server.answers.set(paths.create, () => refused(601, 'Not an email address: b@farm.example'));
    const { user } = await openNew();
    await user.type(field('Name'), 'Office');
    await user.click(box('Email'));
    await user.click(field('Address 1'));
    await user.paste('a@farm.example, b@farm.example');
    await clickButton(user, 'Save');
    await waitFor(() => expect(field('Address 2')).toHaveAccessibleDescription('Not an email address: b@farm.example'));
    expect(field('Address 2')).toHaveFocus();
    expect(toasts()).toEqual([
      { tone: 'error', title: 'Could not save', text: 'Not an email address: b@farm.example' },
    ]);
    await user.type(field('Address 2'), 'x');
    expect(form().queryByText(/^Not an email/)).toBeNull();
    const limit = 'You already have 1000 notification channels. Delete one first';
    server.answers.set(paths.create, () => refused(601, limit));
    await clickButton(user, 'Save');
    expect(await form().findByRole('alert')).toHaveTextContent(limit);
  });

  it('says what each kind can do on this server', async () => {
    server.ways = { email: true, phoneMessage: false, language: 'tr-tr' };
    const { user } = await openNew();
    await user.click(box('Email'));
    expect(form().queryByText(/not set up/)).toBeNull();
    await user.click(box('SMS'));
    expect(
      form().getByText('No SMS gateway is set up: nobody is told by SMS. Ask whoever runs Tilth to set one up.'),
    ).toBeVisible();
  });
});

describe('an existing channel', () => {
  it('is changed, and unchanged fields keep their values', async () => {
    const { user, router } = await openOne();
    expect(fields(/^Address/)).toEqual(['elif@valley.example', 'mehmet@valley.example']);
    expect(form().getByText('Used by 2 rules: Spring frost, Row 12 too dry.')).toBeVisible();
    await user.click(box('SMS'));
    await clickButton(user, 'Remove elif@valley.example');
    await clickButton(user, 'Save');
    await expectSheetClosed({ router });
    expect(sentTo(server, paths.update)).toEqual([
      {
        id: 1,
        noticeName: 'Night crew',
        noticeMode: ['email'],
        email: { emails: ['mehmet@valley.example'] },
        phoneMessage: [],
        others: [],
        language: null,
      },
    ]);
    expect(toasts()).toEqual([{ tone: 'success', title: 'updated successfully' }]);
  });

  it('opens from its row, which is highlighted, and closes with Escape', async () => {
    const { user, router } = await openChannels(server);
    await user.click(screen.getByRole('link', { name: 'Edit: Night crew' }));
    expect(await screen.findByRole('dialog', { name: 'Edit Night crew' })).toBeVisible();
    expect(router.state.location.search).toEqual({ channel: 1 });
    expect(screen.getByRole('link', { name: 'Night crew' })).toHaveAttribute('aria-current', 'true');
    await user.keyboard('{Escape}');
    await expectSheetClosed({ router });
  });

  it('is tested with its saved recipients, not with the typed ones', async () => {
    const { user } = await openOne();
    await user.type(field('Name'), 's');
    expect(form().getByRole('button', { name: 'Send a test' })).toBeDisabled();
    await user.type(field('Name'), '{Backspace}');
    server.outcomes = [{ recipient: 'elif@valley.example', mode: 'email', ok: true, took: 600 }];
    await clickButton(user, 'Send a test');
    expect(await form().findByText('It went out to the 1 recipient')).toBeVisible();
  });

  it('asks before changes are discarded, and discards them on confirmation', async () => {
    const { user, router } = await openOne();
    await user.type(field('Name'), '!{Escape}');
    const asked = within(await screen.findByRole('dialog', { name: 'Discard the changes?' }));
    await user.click(asked.getByRole('button', { name: 'Keep editing' }));
    expect(router.state.location.search).toEqual({ channel: 1 });
    await clickButton(user, 'Cancel');
    await user.click(await screen.findByRole('button', { name: 'Discard changes' }));
    await expectSheetClosed({ router });
  });

  it('can be deleted with unsaved changes, without another question', async () => {
    server.channels = [channel()];
    const { user, router } = await openOne();
    await user.type(field('Name'), ' 2');
    await clickButton(user, 'Delete channel');
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete “Night crew”?' }));
    await user.click(dialog.getByRole('button', { name: 'Delete channel' }));
    await expectSheetClosed({ router });
    expect(screen.queryByText('Discard the changes?')).toBeNull();
    expect(toasts()).toEqual([{ tone: 'success', title: 'deleted successfully' }]);
    expect(askedOf(server, paths.remove)).toEqual([{ id: '1' }]);
  });

  it('leads back with a message if it no longer exists', async () => {
    const opened = await openChannels(server, '/notification?channel=99');
    await expectSheetClosed(opened);
    expect(toasts()).toEqual([{ tone: 'warning', title: 'This channel no longer exists' }]);
  });

  it('leads back with a single message, titled by its error code, if it cannot be fetched', async () => {
    server.answers.set(paths.get, () => refused(601, 'Not this one'));
    const opened = await openChannels(server, '/notification?channel=1');
    await expectSheetClosed(opened);
    expect(toasts()).toEqual([{ tone: 'warning', title: 'The channel could not be fetched', text: 'Not this one' }]);
  });

  it('offers unsaved changes again after the session ended', async () => {
    const first = await openOne();
    await first.user.clear(field('Name'));
    await first.user.type(field('Name'), 'Night and day');
    useSession.setState({ session: null, ended: 'expired' as never });
    first.unmount();
    signedIn();
    const { user } = await openOne();
    expect(field('Name')).toHaveValue('Night crew');
    await clickButton(user, 'Restore');
    expect(field('Name')).toHaveValue('Night and day');
  });
});
