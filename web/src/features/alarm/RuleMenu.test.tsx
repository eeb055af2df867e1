import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { alarmServer, card, cards, hour, openAlarms, paths, sentTo, three } from '@/test/alarmServer';
import { goOffline } from '@/test/network';
import { toasts, waitForDialogClosed } from '@/test/profileServer';
import { ok, onGet, refused } from '@/test/server';

async function choose(user: Awaited<ReturnType<typeof openAlarms>>['user'], name: string, item: string) {
  await user.click(card(name).getByRole('button', { name: `More for ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: item }));
}

describe('the menu', () => {
  it('deletes a rule after confirmation', async () => {
    const server = alarmServer(three());
    const { user } = await openAlarms(server);
    await choose(user, 'Never run', 'Delete');
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete “Never run”?' }));
    expect(dialog.getByText(/^Its notices stay/)).toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(cards()).toEqual(['Spring frost', 'Pump house gone']));
    expect(sentTo(server, paths.delete)).toEqual([{ id: '3' }]);
    expect(toasts()).toEqual([{ tone: 'success', title: 'Rule deleted' }]);
  });

  it('deletes nothing if the user cancels', async () => {
    const server = alarmServer(three());
    const { user } = await openAlarms(server);
    await choose(user, 'Never run', 'Delete');
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Cancel' }));
    await waitForDialogClosed();
    expect(sentTo(server, paths.delete)).toEqual([]);
  });

  it('mutes a rule for a while, and unmutes it', async () => {
    const server = alarmServer();
    const { user } = await openAlarms(server);
    await choose(user, 'Spring frost', 'Mute');
    const dialog = within(await screen.findByRole('dialog', { name: 'Mute “Spring frost”' }));
    await waitFor(() => expect(dialog.getByRole('radio', { checked: true })).toHaveFocus());
    const before = Date.now();
    await user.click(dialog.getByRole('radio', { name: /^For 8 hours, until \d\d:\d\d$/ }));
    await user.click(dialog.getByRole('button', { name: 'Mute' }));
    expect(await card('Spring frost').findByText(/^Muted until/)).toBeVisible();
    const [{ until }] = sentTo(server, paths.mute) as [{ until: number }];
    expect(Math.abs(until - before - 8 * hour)).toBeLessThan(60_000);
    await waitForDialogClosed();
    await choose(user, 'Spring frost', 'Unmute');
    await waitFor(() => expect(card('Spring frost').queryByText(/^Muted until/)).toBeNull());
    expect(sentTo(server, paths.mute).at(-1)).toEqual({ id: 1, until: null });
  });

  it('mutes until a custom time, which must be in the future', async () => {
    const server = alarmServer();
    const { user } = await openAlarms(server);
    await choose(user, 'Spring frost', 'Mute');
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(dialog.getByRole('radio', { name: 'Until another time' }));
    const field = dialog.getByLabelText('Time');
    fireEvent.change(field, { target: { value: '2020-01-01T10:00' } });
    await user.click(dialog.getByRole('button', { name: 'Mute' }));
    expect(field).toHaveAccessibleDescription('Choose a time within the next 30 days');
    expect(sentTo(server, paths.mute)).toEqual([]);
  });

  it('copies a rule to other devices', async () => {
    const server = alarmServer();
    const { user } = await openAlarms(server);
    await choose(user, 'Spring frost', 'Copy to devices');
    const dialog = within(await screen.findByRole('dialog', { name: 'Copy to other devices' }));
    expect(dialog.getByRole('button', { name: 'Choose devices' })).toBeDisabled();
    await waitFor(() => expect(dialog.getByRole('textbox', { name: 'Search devices' })).toHaveFocus());
    await user.click(await dialog.findByRole('treeitem', { name: /Lower mast/ }));
    await user.click(dialog.getByRole('button', { name: 'Copy to 1 device' }));
    await waitForDialogClosed();
    expect(sentTo(server, paths.copy)).toEqual([{ id: 1, executionIds: ['WS-2'] }]);
    expect(toasts()).toEqual([{ tone: 'success', title: '1 copy made' }]);
  });

  it('offers only devices that fit the rule, also in a search', async () => {
    const server = alarmServer();
    const [group] = server.base.groups;
    const asked: URLSearchParams[] = [];
    const note = (request: Request) => {
      const query = new URL(request.url).searchParams;
      asked.push(query);
      return query.get('takesRule') === '1';
    };
    const takers = (group?.deviceList ?? []).filter(({ deviceName }) => deviceName === 'WS-2');
    onGet('/admin-api/client/pc/device/get-group-device-list', ({ request }) =>
      ok(note(request) ? [{ ...group, deviceCount: 1, deviceList: takers }] : server.base.groups),
    );
    const { user } = await openAlarms(server);
    await choose(user, 'Spring frost', 'Copy to devices');
    const dialog = within(await screen.findByRole('dialog', { name: 'Copy to other devices' }));
    expect(await dialog.findByRole('treeitem', { name: /Lower mast/ })).toBeInTheDocument();
    expect(dialog.queryByRole('treeitem', { name: /Orchard mast/ })).toBeNull();
    onGet('/admin-api/client/pc/device/page', ({ request }) =>
      ok(note(request) ? { list: takers, total: 1 } : { list: group?.deviceList ?? [], total: 9 }),
    );
    await user.type(dialog.getByRole('textbox'), 'mast');
    await waitFor(() => expect(asked.at(-1)?.get('deviceName')).toBe('mast'));
    expect(await dialog.findByRole('treeitem', { name: /Lower mast/ })).toBeInTheDocument();
    expect(dialog.queryByRole('treeitem', { name: /Orchard mast/ })).toBeNull();
  });

  it('says that no other device fits the rule', async () => {
    const server = alarmServer();
    onGet('/admin-api/client/pc/device/get-group-device-list', () =>
      ok(server.base.groups.map((group) => ({ ...group, deviceCount: 0, deviceList: [] }))),
    );
    const { user } = await openAlarms(server);
    await choose(user, 'Spring frost', 'Copy to devices');
    const dialog = within(await screen.findByRole('dialog', { name: 'Copy to other devices' }));
    expect(await dialog.findByText('No other device can take this rule')).toBeInTheDocument();
    expect(dialog.queryByRole('treeitem')).toBeNull();
  });

  it('says without a network that copying needs one', async () => {
    const server = alarmServer();
    const { user } = await openAlarms(server);
    await choose(user, 'Spring frost', 'Copy to devices');
    const dialog = within(await screen.findByRole('dialog', { name: 'Copy to other devices' }));
    await user.click(await dialog.findByRole('treeitem', { name: /Lower mast/ }));
    const regain = goOffline();
    expect(dialog.queryByRole('button', { name: /^Copy to/ })).toBeNull();
    const button = dialog.getByRole('button', { name: 'Needs a connection' });
    expect(button).toBeDisabled();
    await user.click(button);
    expect(sentTo(server, paths.copy)).toEqual([]);
    regain();
    // The chosen devices are still there.
    expect(dialog.getByRole('button', { name: 'Copy to 1 device' })).toBeEnabled();
  });

  it('names the device that does not fit, beside the devices', async () => {
    const server = alarmServer();
    server.answers.set(paths.copy, () => refused(601, 'The device “WS-2” cannot take this rule'));
    const { user } = await openAlarms(server);
    await choose(user, 'Spring frost', 'Copy to devices');
    const dialog = within(await screen.findByRole('dialog'));
    await user.click(await dialog.findByRole('treeitem', { name: /Lower mast/ }));
    await user.click(dialog.getByRole('button', { name: 'Copy to 1 device' }));
    const note = await dialog.findByRole('alert');
    expect(note).toHaveTextContent('Nothing was copiedThe device “WS-2” cannot take this rule');
    expect(toasts()).toEqual([]);
  });
});
