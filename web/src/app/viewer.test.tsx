import { screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { Role } from '@/lib/session/useMay';
import { alarmServer, card, openAlarms } from '@/test/alarmServer';
import { channelServer, openChannels, rowOf } from '@/test/channelServer';
import { deviceServer, openDevices } from '@/test/deviceServer';
import { homeServer, openHome } from '@/test/homeServer';
import { noticeRegion, noticeServer, openNotices, paths } from '@/test/noticeServer';
import { elif, openProfile, profileServer } from '@/test/profileServer';
import { channel, detailOf, notice } from '@/test/samples';
import { ok, onGet, refused } from '@/test/server';

// Somebody is offered only what their role allows. What else the parts of the pages offer to whom,
// their own tests show.

// jsdom has neither canvas nor layout.
vi.mock('@/ui/chart/Chart', () => ({ Chart: () => null }));
vi.mock('@/features/home/map/DeviceMap', () => ({ DeviceMap: () => null }));

const signedInAs = (role: Role) => onGet('/app-api/member/user/get', () => ok({ ...elif, role }));
const offered = (element: HTMLElement) =>
  within(element)
    .queryAllByRole('button')
    .map((button) => button.getAttribute('aria-label') ?? button.textContent);

it('a viewer acts on nothing that needs a person', async () => {
  const home = homeServer();
  signedInAs('viewer');
  const item = {
    kind: 'alarm',
    deviceName: 'WS-1',
    noteName: 'Orchard mast',
    groupName: '',
    onlineState: 1,
    since: Date.now(),
  } as const;
  home.server.attention = {
    alarmCount: 1,
    silentCount: 0,
    batteryCount: 0,
    items: [{ ...item, noticeId: 7, title: 'Frost', alarmLevel: 2, mayResolve: true }],
    time: Date.now(),
  };
  await openHome(home);
  const row = screen.getByRole('link', { name: 'Frost' }).closest('li') as HTMLElement;
  expect(offered(row)).toEqual(['Orchard mast']);
  expect(
    within(row)
      .getAllByRole('link')
      .map((link) => link.getAttribute('href')),
  ).toEqual(['/inform?id=7', expect.stringMatching(/^\/analysis\?devices=WS-1&/)]);
});

it('a viewer reads a notice', async () => {
  const server = noticeServer([notice()]);
  signedInAs('viewer');
  server.details.set(1, detailOf(notice()));
  await openNotices(server);
  expect(noticeRegion().getByRole('heading', { level: 2 })).toHaveTextContent('Spring frost');
  expect(noticeRegion().queryByRole('button', { name: /I am on it|Mark as solved/ })).toBeNull();
});

it('a role that was taken away meanwhile takes its buttons away after the first refusal', async () => {
  const server = noticeServer([notice()]);
  server.details.set(1, detailOf(notice()));
  let role: Role = 'operator';
  let asked = 0;
  onGet('/app-api/member/user/get', () => {
    asked += 1;
    return ok({ ...elif, role });
  });
  server.answers.set(paths.acknowledge, () => {
    role = 'viewer';
    return refused(403, 'This needs an operator.');
  });
  const { user, client } = await openNotices(server);
  // The stream's fresh start asks for the user once more.
  await waitFor(() => expect(asked).toBe(2));
  await waitFor(() => expect(client.isFetching()).toBe(0));
  await user.click(noticeRegion().getByRole('button', { name: 'I am on it' }));
  const form = within(await screen.findByRole('dialog', { name: 'I am on it' }));
  await user.click(form.getByRole('button', { name: 'I am on it' }));
  await waitFor(() => expect(noticeRegion().queryByRole('button', { name: /I am on it|Mark as solved/ })).toBeNull());
  expect(asked).toBe(3);
});

it('a viewer looks at devices, scenes and addresses', async () => {
  const server = deviceServer();
  signedInAs('viewer');
  await openDevices(server);
  expect(screen.getAllByRole('row', { name: /Orchard mast/ })).toHaveLength(1);
  expect(screen.queryByRole('link', { name: /^Edit/ })).toBeNull();
  expect(offered(screen.getByRole('region', { name: 'Scenes' }))).toEqual([
    'All devices 33 devices',
    'Default group 11 device',
    'North orchard 22 devices',
    'Old nursery Forbidden 00 devices',
  ]);
});

it('a viewer looks at a device', async () => {
  const server = deviceServer();
  signedInAs('viewer');
  await openDevices(server, '/device?device=WS-1');
  expect(screen.queryByRole('button', { name: /^(Edit|New secret|Delete)/ })).toBeNull();
  expect(offered(await screen.findByRole('region', { name: 'Connection' }))).toEqual([
    'Copy the command for MQTT',
    'Copy the command for HTTP',
  ]);
});

it('a viewer looks at channels', async () => {
  const server = channelServer([channel()]);
  signedInAs('viewer');
  await openChannels(server);
  expect(rowOf('Night crew').queryByRole('button')).toBeNull();
  expect(rowOf('Night crew').queryByRole('link')).toBeNull();
  expect(offered(screen.getByRole('main'))).toEqual(['Query', 'Previous page', 'Next page']);
});

it('a viewer looks at rules, and rehearses one', async () => {
  const server = alarmServer();
  signedInAs('viewer');
  const { user } = await openAlarms(server);
  expect(offered(screen.getByRole('main'))).toEqual(['Previous page', 'Next page', 'All devices']);
  await user.click(card('Spring frost').getByRole('link', { name: 'View: Spring frost' }));
  const rule = await screen.findByRole('dialog', { name: 'Rule' });
  expect(within(rule).getByText(/Saving needs an operator\./)).toBeVisible();
  expect(await within(rule).findByText('This rule would have alarmed 2 times')).toBeVisible();
  expect(within(rule).queryByText(/^Save/)).toBeNull();
});

it.each([
  ['viewer', 'Viewer'],
  ['operator', 'Operator'],
] as const)('a %s has their own data and password in the profile', async (role, word) => {
  profileServer({ user: { ...elif, role } });
  await openProfile();
  expect(screen.getByText(word)).toBeVisible();
  expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual([
    'Essential information',
    'Change password',
  ]);
  expect(screen.queryByRole('link', { name: /Activity/ })).toBeNull();
});

it('an owner has the activity in the profile', async () => {
  profileServer();
  await openProfile();
  expect(screen.getByRole('link', { name: /Activity/ })).toHaveAttribute('href', '/profile/activity');
});
