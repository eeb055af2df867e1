import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { useLanguage } from '@/lib/i18n/i18n';
import { fakeStreams } from '@/test/fakeStreams';
import { elif, openProfile, profileServer, toasts } from '@/test/profileServer';
import { ok, onGet, onPut, refused } from '@/test/server';
import type { HomeAssistant, HomeAssistantUpdate } from './queries';

const path = '/admin-api/client/pc/integration/home-assistant';

const off: HomeAssistant = {
  enabled: false,
  url: '',
  userName: '',
  hasPassword: false,
  discoveryPrefix: 'homeassistant',
  baseTopic: 'tilth/valley',
  state: 'off',
};
const on: HomeAssistant = {
  ...off,
  enabled: true,
  url: 'mqtts://broker.example',
  userName: 'tilth',
  hasPassword: true,
  state: 'connected',
  since: new Date('2026-11-21T05:58:00').getTime(),
  devices: 12,
  entities: 1084,
};

async function open(stored: HomeAssistant, answer?: (sent: HomeAssistantUpdate) => Response) {
  profileServer();
  const server = { stored, asked: [] as HomeAssistantUpdate[], live: fakeStreams() };
  onGet('/admin-api/client/pc/live', ({ request }) => server.live.open('', '', request.signal));
  onGet(path, () => ok(server.stored));
  onPut(path, async ({ request }) => {
    const sent = (await request.json()) as HomeAssistantUpdate;
    server.asked.push(sent);
    const { password: _, ...rest } = sent;
    server.stored = { ...server.stored, ...rest, state: sent.enabled ? 'connecting' : 'off' };
    return answer?.(sent) ?? ok(server.stored);
  });
  const opened = await openProfile('/profile?tab=home-assistant');
  await screen.findByRole('form', { name: 'Home Assistant' });
  return { server, ...opened };
}

const field = (label: string | RegExp) => screen.getByLabelText(label) as HTMLInputElement;
const fill = (label: string | RegExp, value: string) => fireEvent.change(field(label), { target: { value } });
const toggle = () => screen.getByRole('switch', { name: 'Show the devices in Home Assistant' });
const save = () => screen.getByRole('button', { name: 'Save' });
const status = () => screen.getByText(/^(Off|Connecting|Connected|Not connected)$/).closest('[role=status]');

describe('the state', () => {
  it('says what is published, since when', async () => {
    await open(on);
    expect(status()).toHaveTextContent(/^Connectedsince Nov 21, 2026, 05:58.*Devices12Attributes1,084$/);
  });

  it('says what is wrong and what to do', async () => {
    await open({ ...on, state: 'failed', error: 'The broker refuses the user name and password' });
    expect(status()).toHaveTextContent('Not connected');
    expect(status()).toHaveTextContent('The broker refuses the user name and password');
  });

  it('says that something is left at the broker, and what has no room', async () => {
    const { server } = await open({ ...off, error: 'Nothing listens at this address and port' });
    expect(status()).toHaveTextContent('Something is still left at the brokerNothing listens');
    server.stored = { ...on, omittedDevices: 3 };
    act(() => server.live.newest()?.write('event: change\ndata: {"of":["integration"]}\n\n'));
    await waitFor(() => expect(status()).toHaveTextContent('Not in Home Assistant: 3 more devices.'));
  });

  it('follows the live stream, and keeps what is being typed', async () => {
    const { server } = await open({ ...on, state: 'connecting' });
    fill(/^Address/, 'mqtts://other.example');
    server.stored = on;
    act(() => server.live.newest()?.write('event: change\ndata: {"of":["integration"]}\n\n'));
    await waitFor(() => expect(status()).toHaveTextContent('Connected'));
    expect(field(/^Address/)).toHaveValue('mqtts://other.example');
  });
});

describe('the form', () => {
  it('switches it on', async () => {
    const { server, person } = await open(off);
    await person.click(toggle());
    await person.click(save());
    expect(await screen.findByText('Please enter an address')).toBeVisible();
    fill(/^Address/, 'broker.example');
    expect(await screen.findByText('An address begins with mqtts://')).toBeVisible();
    fill(/^Address/, ' mqtts://broker.example ');
    fill('User name', 'tilth');
    fill('Password', 'pond');
    await person.click(save());
    await waitFor(() => expect(toasts()).toMatchObject([{ tone: 'success', title: 'Saved' }]));
    expect(server.asked).toEqual([
      {
        enabled: true,
        url: 'mqtts://broker.example',
        userName: 'tilth',
        password: 'pond',
        discoveryPrefix: 'homeassistant',
        baseTopic: 'tilth/valley',
      },
    ]);
    expect(status()).toHaveTextContent('Connecting');
    expect(field('Password')).toHaveValue('');
  });

  it('keeps, replaces or removes the password', async () => {
    const { server, person } = await open(on);
    expect(screen.getByText('A password is stored. It stays unless you enter another')).toBeVisible();
    await person.click(save());
    await waitFor(() => expect(server.asked).toHaveLength(1));
    expect(server.asked[0]).not.toHaveProperty('password');
    await person.click(await screen.findByRole('button', { name: 'Remove the stored password' }));
    expect(screen.getByText('The password is removed when you save')).toBeVisible();
    await person.click(screen.getByRole('button', { name: 'Keep the password' }));
    await person.click(screen.getByRole('button', { name: 'Remove the stored password' }));
    await waitFor(() => expect(save()).toBeEnabled());
    await person.click(save());
    await waitFor(() => expect(server.asked).toHaveLength(2));
    expect(server.asked[1]).toMatchObject({ password: '' });
  });

  it('shows a refusal at its field, and opens what hides it', async () => {
    const { person } = await open(on, ({ baseTopic }) =>
      refused(601, baseTopic === 'a/#' ? 'Base topic: must not contain +' : 'Password: enter it again'),
    );
    fill(/^Address/, 'mqtts://other.example');
    await person.click(save());
    expect(await screen.findByText('enter it again')).toBeVisible();
    expect(field('Password')).toHaveFocus();
    const more = screen.getByText('More').closest('details');
    expect(more).not.toHaveAttribute('open');
    fill('Base topic', 'a/#');
    expect(screen.queryByText('enter it again')).toBeNull();
    await person.click(save());
    expect(await screen.findByText('must not contain +')).toBeVisible();
    expect(more).toHaveAttribute('open');
  });

  it.each([
    ['zh-cn', '在 Home Assistant 中显示设备'],
    ['tr-tr', 'Cihazları Home Assistant’ta göster'],
    ['ru-ru', 'Показывать устройства в Home Assistant'],
  ] as const)('speaks %s', async (language, name) => {
    await useLanguage.getState().setLanguage(language);
    await open(on);
    expect(screen.getByRole('switch', { name })).toBeChecked();
  });
});

it('is for owners only', async () => {
  profileServer({ user: { ...elif, role: 'operator' } });
  await openProfile('/profile?tab=home-assistant');
  expect(screen.queryByRole('tab', { name: 'Home Assistant' })).toBeNull();
  expect(screen.getByRole('tab', { name: 'Essential information' })).toHaveAttribute('aria-selected', 'true');
});
