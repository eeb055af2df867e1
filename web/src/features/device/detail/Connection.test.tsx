import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { deviceServer, openDevices, paths } from '@/test/deviceServer';
import { goOffline } from '@/test/network';
import { toasts } from '@/test/profileServer';
import { refused } from '@/test/server';
import { forgetSecret, useFreshSecret } from './freshSecret';

let server: ReturnType<typeof deviceServer>;

const sheet = () => screen.getByRole('dialog', { name: 'Orchard mast' });
const part = (name: string) => within(within(sheet()).getByRole('region', { name }));
const open = () => openDevices(server, '/device?device=WS-1');

beforeEach(() => {
  forgetSecret();
  server = deviceServer();
});

describe('the connection', () => {
  it('shows command lines to copy, with a placeholder for the secret', async () => {
    await open();
    const connection = part('Connection');
    expect(connection.getByText('1 secret is valid.')).toBeVisible();
    expect(connection.getByText('Port with TLS').parentElement).toHaveTextContent('off');
    expect(connection.getByText('Topic').parentElement).toHaveTextContent('v1/devices/me/telemetry');
    expect(connection.getByText(/^mosquitto_pub/)).toHaveTextContent(
      `-h farm.example -p 1883 -q 1 -u WS-1 -P SECRET -t v1/devices/me/telemetry -m '{"airTemperature":3.4,"airHumidity":91}'`,
    );
    expect(connection.getByText(/^curl/)).toHaveTextContent('https://farm.example/api/v1/SECRET/telemetry');
    expect(connection.getByRole('button', { name: 'Copy the command for MQTT' })).toBeVisible();
    expect(connection.queryByRole('button', { name: 'Copy the command for MQTT + TLS' })).toBeNull();
  });

  it('says of a gateway that it reports for other devices', async () => {
    server.connection = { ...server.connection, gateway: true, secrets: 0 };
    await open();
    expect(sheet()).toHaveTextContent('This is a gateway');
    expect(sheet()).toHaveTextContent('No secret is valid: the device cannot sign in.');
  });
});

describe('a new secret', () => {
  const ask = async () => {
    const opened = await open();
    await opened.user.click(part('Connection').getByRole('button', { name: 'New secret' }));
    return {
      ...opened,
      question: (await screen.findByText('Make a new secret?')).closest('[role=dialog]') as HTMLElement,
    };
  };
  const sent = () => server.sent.filter(({ path }) => path === paths.secret).map(({ body }) => body);

  it('is created after confirmation, shown once, and gone once it is stored', async () => {
    const { user, question, client } = await ask();
    await user.click(within(question).getByRole('button', { name: 'Make secret' }));
    const shown = (await screen.findByText('Keep the secret now')).closest('[role=dialog]') as HTMLElement;
    expect(sent()).toEqual([{ deviceName: 'WS-1', dropOthers: false, short: false }]);
    expect(shown).toHaveTextContent('The new secret of “Orchard mast” is ready.');
    expect(shown).toHaveTextContent('a-brand-new-secret-of-32-letters');
    await user.keyboard('{Escape}');
    expect(useFreshSecret.getState().fresh).not.toBeNull();
    expect(within(shown).getByRole('button', { name: 'Done' })).toBeDisabled();
    await user.click(within(shown).getByRole('checkbox', { name: 'I have stored the secret' }));
    await user.click(within(shown).getByRole('button', { name: 'Done' }));
    await waitFor(() => expect(useFreshSecret.getState().fresh).toBeNull());
    await waitFor(() => {
      const kept = client
        .getMutationCache()
        .getAll()
        .map(({ state }) => state);
      expect(JSON.stringify(kept)).not.toContain('a-brand-new');
    });
    expect(JSON.stringify({ ...sessionStorage, ...localStorage })).not.toContain('a-brand-new');
  });

  it('may revoke the older ones, with a warning', async () => {
    const { user, question } = await ask();
    expect(question).not.toHaveTextContent('loses its connection');
    await user.click(within(question).getByRole('checkbox', { name: 'End the other secrets at once' }));
    expect(question).toHaveTextContent('Whatever uses them loses its connection now');
    await user.click(within(question).getByRole('button', { name: 'Make secret' }));
    await waitFor(() => expect(sent()).toEqual([{ deviceName: 'WS-1', dropOthers: true, short: false }]));
  });

  it('may be short, to be typed on the device', async () => {
    const { user, question } = await ask();
    await user.click(within(question).getByRole('checkbox', { name: 'Short secret' }));
    await user.click(within(question).getByRole('button', { name: 'Make secret' }));
    await waitFor(() => expect(sent()).toEqual([{ deviceName: 'WS-1', dropOthers: false, short: true }]));
  });

  it('says that it needs a network if there is none', async () => {
    const { user, question } = await ask();
    const regain = goOffline();
    const button = within(question).getByRole('button', { name: 'Needs a connection' });
    expect(button).toBeDisabled();
    await user.click(button);
    expect(sent()).toEqual([]);
    regain();
    expect(within(question).getByRole('button', { name: 'Make secret' })).toBeEnabled();
  });

  it('shows an error if it cannot be created', async () => {
    server.answers.set(paths.secret, () => refused(500, 'Something inside the server failed'));
    const { user, question } = await ask();
    await user.click(within(question).getByRole('button', { name: 'Make secret' }));
    await waitFor(() =>
      expect(toasts()).toEqual([
        { tone: 'error', title: 'Could not make a secret', text: 'Something inside the server failed' },
      ]),
    );
    await user.click(within(question).getByRole('button', { name: 'Cancel' }));
    expect(useFreshSecret.getState().fresh).toBeNull();
  });
});
