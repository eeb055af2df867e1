import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { setWidth } from '@/test/mediaQueries';
import { elifAsPerson, peoplePaths, peopleServer, person } from '@/test/peopleServer';
import { openProfile, sentTo, toasts, waitForDialogClosed } from '@/test/profileServer';
import { refused } from '@/test/server';
import type { Person } from './queries';

const dialog = () => within(screen.getByRole('dialog'));
const row = (name: string | RegExp) => screen.getByRole('rowheader', { name }).closest('tr') as HTMLElement;
const names = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent);

const ada = person(1, {
  userName: 'ada',
  nickname: 'Ada',
  role: 'operator',
  language: 'tr-tr',
  loginDate: Date.now() - 120_000,
});
const zehra = person(4, { userName: 'zehra', nickname: 'Zehra', secondFactor: true });
const burak = person(2, { userName: 'burak', nickname: '', email: '', state: 'disabled', roleFrom: 'signin' });
const carla = person(3, { userName: 'carla', nickname: 'Carla', state: 'shut', removable: false });

async function open(people: Person[] = [ada, burak, carla, elifAsPerson]) {
  const server = peopleServer(people);
  const opened = await openProfile('/profile?tab=people');
  return { server, ...opened, user: opened.person };
}

async function choose(user: Awaited<ReturnType<typeof open>>['user'], name: string, item: string) {
  await user.click(await screen.findByRole('button', { name: `More for ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: item }));
  return within(await screen.findByRole('dialog'));
}

describe('the list', () => {
  it('shows who they are, their role and where it comes from, state and last sign-in', async () => {
    await open();
    await screen.findByText('Ada');
    expect(row(/^Ada/)).toHaveTextContent('Adaadauser-1@valley.exampleTürkçeOperatorActive2 min agoChange');
    expect(row(/^burak/)).toHaveTextContent(
      'burakNo emailThe farm’s languageViewerfrom the farm’s own sign-inDisabledNever',
    );
    expect(row(/^Carla/)).toHaveTextContent('Shut out by the provider');
    expect(row(/^Elif Kaya/)).toHaveTextContent('Elif Kaya youelif.kaya');
    expect(row(/^Elif Kaya/)).toHaveTextContent('Ownergiven by the provider');
    expect(row(/^Ada/)).not.toHaveTextContent('you');
    expect(row(/^Ada/)).not.toHaveTextContent('Second factor');
    expect(screen.getByText('1–4 of 4')).toBeVisible();
  });

  it('marks who has a second factor', async () => {
    await open([zehra, elifAsPerson]);
    await screen.findByText('Zehra');
    expect(row(/^Zehra/)).toHaveTextContent('Active Second factor');
  });

  it('marks them on a phone, too', async () => {
    setWidth(390);
    await open([zehra, elifAsPerson]);
    const card = (await screen.findByRole('heading', { name: 'Zehra' })).closest('li') as HTMLElement;
    expect(card).toHaveTextContent('Active Second factor');
  });

  it('shows the same content as cards on a phone', async () => {
    setWidth(390);
    await open();
    const card = (await screen.findByRole('heading', { name: 'Ada' })).closest('li') as HTMLElement;
    expect(screen.queryByRole('table')).toBeNull();
    expect(card).toHaveTextContent('AdaadaActiveuser-1@valley.exampleTürkçeOperatorLast login: 2 min agoChange');
    expect(within(card).getByRole('button', { name: 'More for Ada' })).toBeVisible();
  });

  it.each([
    ['Ada', ['Sign out everywhere', 'Disable', 'Delete']],
    ['burak', ['Enable', 'Delete']],
    ['Elif Kaya', ['Sign out everywhere', 'Disable']],
    ['Zehra', ['Sign out everywhere', 'Disable', 'Reset second factor', 'Delete']],
  ])('offers for %s only what is possible', async (name, items) => {
    const { user } = await open([ada, burak, carla, zehra, { ...elifAsPerson, secondFactor: true }]);
    await user.click(await screen.findByRole('button', { name: `More for ${name}` }));
    expect((await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent)).toEqual(items);
    expect(screen.queryByRole('button', { name: 'More for Carla' })).toBeNull();
  });

  it('is searched while one types, and filtered by role and state', async () => {
    const { user } = await open();
    await screen.findByText('Ada');
    await user.type(screen.getByRole('textbox', { name: 'Search people' }), 'ELIF');
    await waitFor(() => expect(names()).toEqual(['Elif Kaya youelif.kaya']));
    await user.clear(screen.getByRole('textbox', { name: 'Search people' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'State' }), 'Disabled');
    await waitFor(() => expect(names()).toEqual(['burak']));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Role' }), 'Owner');
    expect(await screen.findByRole('heading', { name: 'Nobody matches' })).toBeVisible();
    expect(screen.queryByRole('navigation', { name: 'Pages' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Show everybody' }));
    await waitFor(() => expect(names()).toHaveLength(4));
    expect(screen.getByRole('combobox', { name: 'Role' })).toHaveValue('');
  });

  it('shows a very long name whole', async () => {
    const long = `${'Gürsu'.repeat(12)} Aydınoğlu`.slice(0, 64);
    await open([person(1, { nickname: long, userName: 'w'.repeat(64) })]);
    expect(await screen.findByRole('rowheader')).toHaveTextContent(long + 'w'.repeat(64));
  });

  it('is fetched again when somebody changed the people', async () => {
    const { server } = await open([elifAsPerson]);
    await screen.findByRole('rowheader', { name: /^Elif Kaya/ });
    server.people = [ada, elifAsPerson];
    server.live.newest()?.write('event: change\ndata: {"of":["people"]}\n\n');
    expect(await screen.findByText('Ada')).toBeVisible();
  });

  it('gives way to a sentence where the provider manages the people', async () => {
    const server = peopleServer();
    const sentence = 'The people of this farm are managed by its provider. Ask the provider for changes';
    server.profile.answers.set(peoplePaths.page, () => refused(601, sentence));
    await openProfile('/profile?tab=people');
    const panel = within(await screen.findByRole('tabpanel', { name: 'People' }));
    expect(await panel.findByText(sentence)).toBeVisible();
    expect(panel.queryByRole('button')).toBeNull();
    expect(panel.queryByRole('textbox')).toBeNull();
    expect(toasts()).toEqual([]);
    expect(sentTo(server.profile, peoplePaths.invitations)).toEqual([]);
  });
});

describe('a change', () => {
  it('of role and language sends only what was changed', async () => {
    const { server, user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Change: Ada' }));
    expect(screen.getByRole('dialog')).toHaveAccessibleName('Change Ada');
    const role = dialog().getByRole('combobox', { name: 'Role' });
    expect(role).toHaveValue('operator');
    await user.selectOptions(role, 'Viewer');
    expect(role).toHaveAccessibleDescription('Looks at devices, readings and alarms');
    await user.click(dialog().getByRole('button', { name: 'Save' }));
    await waitForDialogClosed();
    expect(sentTo(server.profile, peoplePaths.update)).toEqual([{ id: 1, role: 'viewer' }]);
    await waitFor(() => expect(row(/^Ada/)).toHaveTextContent('Viewer'));
    await user.click(screen.getByRole('button', { name: 'Change: Ada' }));
    await user.selectOptions(dialog().getByRole('combobox', { name: 'Language of mails' }), '');
    await user.click(dialog().getByRole('button', { name: 'Save' }));
    await waitForDialogClosed();
    expect(sentTo(server.profile, peoplePaths.update).at(-1)).toEqual({ id: 1, language: '' });
  });

  it('that the server refuses is explained in the dialog, until something else is chosen', async () => {
    const { server, user } = await open();
    const sentence = 'Somebody has to stay an owner who can sign in. Make another person an owner first';
    server.profile.answers.set(peoplePaths.update, () => refused(601, sentence));
    await user.click(await screen.findByRole('button', { name: 'Change: Elif Kaya' }));
    await user.selectOptions(dialog().getByRole('combobox', { name: 'Role' }), 'Operator');
    expect(dialog().getByText('This is your own role')).toBeVisible();
    await user.click(dialog().getByRole('button', { name: 'Change my own role' }));
    expect(await dialog().findByRole('alert')).toHaveTextContent(sentence);
    expect(toasts()).toEqual([]);
    await user.selectOptions(dialog().getByRole('combobox', { name: 'Role' }), 'Owner');
    expect(dialog().queryByRole('alert')).toBeNull();
    expect(dialog().getByRole('button', { name: 'Save' })).toBeVisible();
  });

  it('of the own role takes the tab away at once', async () => {
    const { server, user } = await open();
    server.profile.answers.set(peoplePaths.update, () => {
      server.profile.user = { ...server.profile.user, role: 'viewer' };
      return undefined as never;
    });
    await user.click(await screen.findByRole('button', { name: 'Change: Elif Kaya' }));
    await user.selectOptions(dialog().getByRole('combobox', { name: 'Role' }), 'Viewer');
    await user.click(dialog().getByRole('button', { name: 'Change my own role' }));
    await waitFor(() => expect(screen.queryByRole('tab', { name: 'People' })).toBeNull());
  });
});

describe('a confirmed action', () => {
  it.each([
    ['Ada', 'Disable', 'Disable Ada?', 'Disable', peoplePaths.toggle, { id: 1, enabled: false }],
    ['burak', 'Enable', 'Enable burak again?', 'Enable', peoplePaths.toggle, { id: 2, enabled: true }],
    ['Ada', 'Sign out everywhere', 'Sign Ada out everywhere?', 'Sign out everywhere', peoplePaths.end, { id: 1 }],
    ['Ada', 'Delete', 'Delete “Ada”?', 'Delete person', peoplePaths.remove, { id: '1' }],
    [
      'Zehra',
      'Reset second factor',
      'Reset the second factor of Zehra?',
      'Reset second factor',
      peoplePaths.reset,
      { id: 4 },
    ],
    ['Elif Kaya', 'Disable', 'Disable yourself?', 'Disable', peoplePaths.toggle, { id: 7, enabled: false }],
  ])('on %s: %s', async (name, item, question, verb, path, sent) => {
    const { server, user } = await open([ada, burak, zehra, elifAsPerson]);
    const asked = await choose(user, name, item);
    expect(screen.getByRole('dialog')).toHaveAccessibleName(question);
    expect(sentTo(server.profile, path)).toEqual([]);
    await user.click(asked.getByRole('button', { name: verb }));
    await waitForDialogClosed();
    expect(sentTo(server.profile, path)).toEqual([sent]);
    expect(toasts()).toHaveLength(1);
  });

  it('says what ends when a person is disabled, and shows the refusal in the dialog', async () => {
    const { server, user } = await open();
    server.profile.answers.set(peoplePaths.toggle, () => refused(601, 'Somebody has to stay'));
    const asked = await choose(user, 'Ada', 'Disable');
    expect(asked.getByText(/signed out everywhere within seconds, and their API keys stop working/)).toBeVisible();
    await user.click(asked.getByRole('button', { name: 'Disable' }));
    expect(await asked.findByRole('alert')).toHaveTextContent('Somebody has to stay');
    expect(toasts()).toEqual([]);
  });
});

describe('the second factor of everybody', () => {
  const toggle = () => screen.findByRole('switch', { name: 'Everybody needs a second factor' });

  it('is required by an owner who has one, after a question', async () => {
    const { server, user } = await open();
    server.profile.user = { ...server.profile.user, secondFactor: true };
    server.live.newest()?.write('event: change\ndata: {"of":["me"]}\n\n');
    await waitFor(async () => expect(await toggle()).toBeEnabled());
    expect(await toggle()).not.toBeChecked();
    await user.click(await toggle());
    expect(dialog().getByText(/nobody can turn theirs off/)).toBeVisible();
    expect(sentTo(server.profile, peoplePaths.settings)).toEqual([]);
    await user.click(dialog().getByRole('button', { name: 'Require it' }));
    await waitForDialogClosed();
    expect(await toggle()).toBeChecked();
    expect(toasts()).toMatchObject([{ title: 'Everybody needs a second factor now' }]);
    await user.click(await toggle());
    await user.click(dialog().getByRole('button', { name: 'Leave it to each person' }));
    await waitForDialogClosed();
    expect(await toggle()).not.toBeChecked();
    expect(sentTo(server.profile, peoplePaths.settings)).toEqual([
      { secondFactor: 'required' },
      { secondFactor: 'optional' },
    ]);
  });

  it('cannot be required by an owner without one, who is led to their own', async () => {
    const { user, router } = await open();
    await waitFor(async () => expect(await toggle()).toBeDisabled());
    await user.click(screen.getByRole('link', { name: 'Turn on your own second factor first' }));
    await waitFor(() => expect(router.state.location.href).toBe('/profile?tab=password'));
    expect(await screen.findByRole('heading', { name: 'Second factor' })).toBeVisible();
  });

  it('shows the server’s refusal in the question', async () => {
    const { server, user } = await open();
    server.secondFactor = 'required';
    server.live.newest()?.write('event: change\ndata: {"of":["people"]}\n\n');
    await waitFor(async () => expect(await toggle()).toBeChecked());
    server.profile.answers.set(peoplePaths.settings, () => refused(601, 'Ask your provider'));
    await user.click(await toggle());
    await user.click(dialog().getByRole('button', { name: 'Leave it to each person' }));
    expect(await dialog().findByRole('alert')).toHaveTextContent('Ask your provider');
    expect(await toggle()).toBeChecked();
  });
});
