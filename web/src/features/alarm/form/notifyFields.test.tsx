import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { type AlarmServer, alarmServer, askedOf, openAlarms, paths, sentTo } from '@/test/alarmServer';
import { toasts, waitForDialogClosed } from '@/test/profileServer';
import { channel, rule } from '@/test/samples';
import { refused } from '@/test/server';

// Whom a rule notifies, and how often it reminds them.

let server: AlarmServer;
beforeEach(() => {
  server = alarmServer([rule({ passageway: [1, 140], remindEvery: 30 })]);
  server.channels = Array.from({ length: 150 }, (_, i) =>
    channel({ id: i + 1, noticeName: i === 0 ? 'Night crew' : `Crew ${i + 1}`, noticeMode: ['email'] }),
  );
});

const dialog = () => within(document.querySelector<HTMLElement>('.ant-modal') ?? document.body);
const openNotifySection = () => dialog().getByLabelText('Tell');
const remind = () => dialog().getByLabelText<HTMLSelectElement>('Reminder');
const chosen = () =>
  [...(openNotifySection().closest('.ant-select')?.querySelectorAll('.ant-select-selection-item') ?? [])].map(
    (element) => element.getAttribute('title'),
  );
const offered = () => [...document.querySelectorAll('.ant-select-item-option-content')];

async function open() {
  const opened = await openAlarms(server, '/alarm?rule=1');
  await screen.findByText('Save and run');
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return opened;
}

it('shows the rule’s channels by name, even if they are not among the first hundred', async () => {
  await open();
  await waitFor(() => expect(chosen()).toEqual(['Night crew', 'Crew 140']));
  expect(remind()).toHaveValue('30');
  expect(remind()).toHaveAccessibleDescription('While the alarm is open, within the notification period.');
});

it('searches other channels on the server and shows their kinds', async () => {
  const { user, router } = await open();
  fireEvent.mouseDown(openNotifySection());
  await waitFor(() => expect(offered().length).toBeGreaterThan(2));
  expect(offered()[0]).toHaveTextContent('Night crewEmail');
  expect(screen.getByText('The first 100 of 150. Type to find others.')).toBeInTheDocument();
  await user.type(openNotifySection(), 'Crew 77');
  await waitFor(() => expect(askedOf(server, paths.channels).at(-1)?.get('noticeName')).toBe('Crew 77'));
  await user.click(await screen.findByText('Crew 77', { selector: '.ant-select-item-option-content span' }));
  await waitFor(() => expect(chosen()).toEqual(['Night crew', 'Crew 140', 'Crew 77']));
  await user.selectOptions(remind(), '480');
  await user.click(dialog().getByText('Save'));
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  expect(sentTo(server, paths.update)[0]).toMatchObject({ passageway: [1, 140, 77], remindEvery: 480 });
});

// Found by its title: in tests antd gives all dialogs the first one's label.
const createdIn = () =>
  screen.queryByText('New channel', { selector: '.ant-modal-title' })?.closest('.ant-modal') ?? null;
const createdChannels = () => within(createdIn() as HTMLElement);

it('creates a channel on the spot and adds it to the rule', async () => {
  const { user, router } = await open();
  const name = dialog().getByLabelText('Alarm name', { exact: false });
  await user.type(name, ' 2');
  fireEvent.mouseDown(openNotifySection());
  await user.click(await screen.findByText('New channel', { selector: 'button' }));
  await waitFor(() => expect(createdChannels().getByLabelText('Name', { exact: false })).toHaveFocus());
  // The rule is not submitted with it.
  await user.keyboard('Office{Enter}');
  expect(await createdChannels().findByText('Select at least one mode')).toBeInTheDocument();
  await user.click(createdChannels().getByLabelText('Email'));
  await user.type(createdChannels().getByLabelText('Address 1'), 'a@farm.example');
  await user.click(createdChannels().getByText('Save'));
  await waitFor(() => expect(chosen()).toEqual(['Night crew', 'Crew 140', 'Office']));
  await waitForDialogClosed(createdIn);
  expect(openNotifySection()).toHaveFocus();
  expect(toasts()).toEqual([{ tone: 'success', title: 'created successfully' }]);
  expect(sentTo(server, paths.createChannel)).toMatchObject([{ noticeName: 'Office', noticeMode: ['email'] }]);
  expect(sentTo(server, paths.update)).toEqual([]);
  expect(name).toHaveValue('Spring frost 2');
  await user.click(dialog().getByText('Save'));
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  expect(sentTo(server, paths.update)[0]).toMatchObject({ alarmName: 'Spring frost 2', passageway: [1, 140, 1150] });
});

it('keeps the input of the rule and of the channel when Escape closes the new channel', async () => {
  const { user, router } = await open();
  await user.type(dialog().getByLabelText('Alarm name', { exact: false }), ' 2');
  const opener = dialog().getByLabelText('New channel', { selector: 'button' });
  await user.click(opener);
  await waitFor(() => expect(createdChannels().getByLabelText('Name', { exact: false })).toHaveFocus());
  await user.keyboard('Office{Escape}');
  await waitForDialogClosed(createdIn);
  expect(screen.queryByText('Discard the changes?')).toBeNull();
  expect(router.state.location.search).toEqual({ rule: 1 });
  expect(dialog().getByLabelText('Alarm name', { exact: false })).toHaveValue('Spring frost 2');
  expect(chosen()).toEqual(['Night crew', 'Crew 140']);
  expect(opener).toHaveFocus();
  await user.click(opener);
  await user.click(await createdChannels().findByText('Restore'));
  expect(createdChannels().getByLabelText('Name', { exact: false })).toHaveValue('Office');
});

it('shows the server’s refusal in the new channel; the rule stays unchanged', async () => {
  const limit = 'You already have 1000 notification channels. Delete one first';
  server.answers.set(paths.createChannel, () => refused(601, limit));
  const { user } = await open();
  await user.click(dialog().getByLabelText('New channel', { selector: 'button' }));
  await user.type(await createdChannels().findByLabelText('Name', { exact: false }), 'Office');
  await user.click(createdChannels().getByLabelText('Email'));
  await user.type(createdChannels().getByLabelText('Address 1'), 'a@farm.example');
  await user.click(createdChannels().getByText('Save'));
  expect(await createdChannels().findByRole('alert', { hidden: true })).toHaveTextContent(limit);
  expect(chosen()).toEqual(['Night crew', 'Crew 140']);
});

it('offers no new channel if the rule has the maximum', async () => {
  server.rules = [rule({ passageway: Array.from({ length: 20 }, (_, i) => i + 1) })];
  await open();
  await waitFor(() => expect(chosen()).toHaveLength(20));
  expect(dialog().queryByLabelText('New channel', { selector: 'button' })).toBeNull();
});

it('offers reminders from never to once a day, and keeps an interval that an API client set', async () => {
  server.rules = [rule({ remindEvery: 7 })];
  const { user, router } = await open();
  expect(
    within(remind())
      .getAllByRole('option', { hidden: true })
      .map((element) => element.textContent?.replaceAll('\u00a0', ' ')),
  ).toEqual([
    'None',
    'Every 5 min',
    'Every 7 min',
    'Every 10 min',
    'Every 15 min',
    'Every 30 min',
    'Every 1 h',
    'Every 2 h',
    'Every 4 h',
    'Every 8 h',
    'Every 24 h',
  ]);
  expect(remind()).toHaveValue('7');
  await user.selectOptions(remind(), 'None');
  await user.click(dialog().getByText('Save'));
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  expect(sentTo(server, paths.update)[0]).toMatchObject({ passageway: [], remindEvery: null });
});

it('says that nobody is notified without a channel', async () => {
  server.rules = [rule()];
  server.channels = [];
  await open();
  expect(openNotifySection()).toHaveAccessibleDescription('Alarms are recorded, nobody is told.');
  expect(dialog().getByText('No channels yet')).toBeInTheDocument();
  expect(remind()).toHaveValue('');
});

it('shows at its field that a channel no longer exists', async () => {
  const sentence = 'There is no notification channel with the number 140';
  server.answers.set(paths.update, () => refused(601, sentence));
  const { user } = await open();
  await user.click(dialog().getByText('Save'));
  await waitFor(() => expect(openNotifySection()).toHaveAccessibleDescription(sentence));
});
