import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { alarmServer, card, hour, openAlarms, paths, streamEvent } from '@/test/alarmServer';
import { waitForDialogClosed } from '@/test/profileServer';
import { rule } from '@/test/samples';
import { ok, onGet, refused } from '@/test/server';

const path = `${paths.get}/devices`;
const manyDevices = (change = {}) =>
  rule({ targets: { devices: [], groups: [3], products: [] }, deviceCount: 12, openCount: 1, ...change });

it('lists a rule’s devices: open alarms first, and why others are left out', async () => {
  const server = alarmServer([manyDevices({ leftOut: { limit: 1, misfit: 2 } })]);
  const rows = [
    {
      deviceName: 'WS-2',
      noteName: 'Lower mast',
      groupName: 'Ridge',
      state: 'judged',
      openNotice: { id: 77, startTime: Date.now() - hour },
    },
    ...Array.from({ length: 11 }, (_, i) => ({ deviceName: `PR-${i}`, noteName: '', groupName: '', state: 'judged' })),
    { deviceName: 'PR-98', noteName: '', groupName: 'Ridge', state: 'limit' },
    { deviceName: 'PR-99', noteName: '', groupName: 'Ridge', state: 'misfit' },
  ];
  onGet(path, ({ request }) => {
    const query = new URL(request.url).searchParams;
    const [no, size] = [Number(query.get('pageNo')), Number(query.get('pageSize'))];
    expect(query.get('id')).toBe('1');
    return ok({ list: rows.slice((no - 1) * size, no * size), total: rows.length } as never);
  });
  const { user } = await openAlarms(server);
  await user.click(card('Spring frost').getByText('12 devices, 1 open · 3 left out'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Devices of “Spring frost”' }));
  await waitFor(() => expect(dialog.getAllByRole('listitem').length).toBeGreaterThan(9));
  const link = dialog.getByText(/^Since /).closest('a');
  expect(link).toHaveAttribute('href', '/inform?id=77');
  expect(dialog.getByText('WS-2 · Ridge')).toBeVisible();
  expect(dialog.getByText('1–10 of 14')).toBeVisible();
  await user.click(dialog.getByLabelText('Next page'));
  expect(await dialog.findByText('Left out: as many rules as there can be')).toBeVisible();
  expect(dialog.getByText('Left out: lacks an attribute of the conditions')).toBeVisible();
  await user.keyboard('{Escape}');
  await waitForDialogClosed();
});

it('shows an alarm that begins while the list is open', async () => {
  const server = alarmServer([manyDevices({ deviceCount: 1, openCount: 0 })]);
  const device = { deviceName: 'WS-1', noteName: '', groupName: 'Ridge', state: 'judged' };
  let list: object[] = [device];
  onGet(path, () => ok({ list, total: 1 } as never));
  const { user } = await openAlarms(server);
  await user.click(card('Spring frost').getByText('1 device'));
  const dialog = within(await screen.findByRole('dialog', { name: 'Devices of “Spring frost”' }));
  expect(await dialog.findByText('WS-1')).toBeVisible();
  expect(dialog.queryByText(/^Since /)).toBeNull();
  list = [{ ...device, openNotice: { id: 78, startTime: Date.now() } }];
  streamEvent(server, 'notice', { id: 78, ruleId: 1 });
  expect(await dialog.findByText(/^Since /)).toBeVisible();
});

it('says how a rule without devices gets some; a failure can be retried', async () => {
  const server = alarmServer([manyDevices({ deviceCount: 0, openCount: 0 })]);
  let answer = () => refused(500, 'The disk is full');
  onGet(path, () => answer());
  const { user } = await openAlarms(server);
  await user.click(card('Spring frost').getByText('No device'));
  const note = await screen.findByText('The disk is full');
  answer = () => ok({ list: [], total: 0 } as never);
  await user.click(within(note.closest('[role=alert]') as HTMLElement).getByText('Retry'));
  expect(await screen.findByText(/^No device is in these scenes or of these models now/)).toBeVisible();
});
