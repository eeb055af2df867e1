import { act, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { addPaths, addServer, findDialog, mast, probe, sentTo } from '@/test/addServer';
import { deviceServer, openDevices } from '@/test/deviceServer';
import { gate } from '@/test/gate';
import { elif, toasts, waitForDialogClosed } from '@/test/profileServer';
import { ok, onGet, refused } from '@/test/server';
import { useAdded } from './added';

let server: ReturnType<typeof deviceServer>;

beforeEach(() => {
  server = deviceServer();
});

const addButton = () => screen.findByRole('button', { name: 'Add' });
const event = (name: string, data: object) =>
  act(async () => server.live.newest()?.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));

async function openForm(change: Parameters<typeof addServer>[1] = { products: [probe] }, address?: string) {
  const added = addServer(server, change);
  const opened = await openDevices(server, address);
  await opened.user.click(await addButton());
  const dialog = await findDialog('Add a device');
  await within(dialog).findByRole('textbox', { name: /^Remark name/ });
  return { added, ...opened, dialog };
}

const name = (dialog: HTMLElement) => within(dialog).getByRole('textbox', { name: /^Remark name/ });
const submit = (dialog: HTMLElement) => within(dialog).getByRole('button', { name: 'Add device' });
const stored = (dialog: HTMLElement) => within(dialog).getByRole('checkbox', { name: 'I have stored the secret' });

async function createDevice() {
  const opened = await openForm();
  await opened.user.type(name(opened.dialog), ' Lower field ');
  await opened.user.click(submit(opened.dialog));
  const connect = await findDialog('Connect “Lower field”');
  return { ...opened, connect };
}

describe('the button', () => {
  it('is absent without an offer; the provider adds the devices', async () => {
    server.devices = [];
    await openDevices(server);
    expect(screen.getByText('Devices appear here as soon as your provider has added them.')).toBeVisible();
    expect(screen.queryByRole('button', { name: /^Add/ })).toBeNull();
  });

  it('is absent for an operator, who asks for no offer', async () => {
    addServer(server);
    let asked = 0;
    onGet(addPaths.offer, () => {
      asked += 1;
      return refused(403);
    });
    onGet('/app-api/member/user/get', () => ok({ ...elif, role: 'operator' }));
    await openDevices(server);
    expect(screen.queryByRole('button', { name: /^Add/ })).toBeNull();
    expect(asked).toBe(0);
  });

  it('leads from an empty page to the first device', async () => {
    server.devices = [];
    addServer(server, { products: [probe] });
    const { user } = await openDevices(server);
    await user.click(await screen.findByRole('button', { name: 'Add a device' }));
    expect(await findDialog('Add a device')).toHaveTextContent('3 of 50 used');
  });

  it('offers only the ways that the provider allows', async () => {
    const { dialog } = await openForm({ products: [probe], claims: false });
    const ways = within(dialog).getAllByRole('radio');
    expect(ways.map((way) => way.parentElement?.textContent)).toEqual(['New', 'From a table']);
  });

  it('leads to the code if that is the only way', async () => {
    addServer(server, { products: [], most: 0 });
    const { user } = await openDevices(server);
    await user.click(await addButton());
    const dialog = await findDialog('Add a device');
    expect(within(dialog).queryByRole('radio')).toBeNull();
    expect(await within(dialog).findByRole('textbox', { name: /^Code on the label/ })).toHaveFocus();
  });
});

describe('a new device', () => {
  it('needs a name and a model, and sends what was typed', async () => {
    const { user, dialog } = await openForm({ products: [mast, probe] });
    await user.click(submit(dialog));
    expect(within(dialog).getByRole('combobox', { name: /^Model/ })).toHaveAccessibleDescription(
      'Please choose a model',
    );
    expect(within(dialog).getByRole('combobox', { name: /^Model/ })).toHaveFocus();
    expect(name(dialog)).toHaveAccessibleDescription('Please fill in the remark name');
    await user.selectOptions(within(dialog).getByRole('combobox', { name: /^Model/ }), 'Soil probe');
    await user.type(name(dialog), 'Lower field');
    await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Scene' }), 'North orchard');
    await user.type(within(dialog).getByRole('textbox', { name: 'Serial' }), ' S-2001 ');
    await user.click(within(dialog).getByRole('button', { name: 'Set the position' }));
    await user.type(within(dialog).getByRole('textbox', { name: 'Latitude' }), '95');
    await user.click(submit(dialog));
    expect(within(dialog).getByRole('textbox', { name: 'Latitude' })).toHaveAccessibleDescription(
      'A number from −90 to 90',
    );
    await user.clear(within(dialog).getByRole('textbox', { name: 'Latitude' }));
    await user.type(within(dialog).getByRole('textbox', { name: 'Latitude' }), '37.8');
    await user.type(within(dialog).getByRole('textbox', { name: 'Longitude' }), '27.3');
    await user.click(within(dialog).getByText('More options'));
    await user.click(within(dialog).getByRole('checkbox', { name: 'Short secret' }));
    await user.click(submit(dialog));
    expect(await findDialog('Connect “Lower field”')).toHaveTextContent('short-secret-of-20');
    expect(sentTo(server, addPaths.create)).toEqual([
      {
        productId: 3,
        noteName: 'Lower field',
        serial: 'S-2001',
        groupId: 1,
        latitude: 37.8,
        longitude: 27.3,
        short: true,
      },
    ]);
  });

  it('presets the only model, and the scene that the page shows unless it takes no devices', async () => {
    const { user, dialog, router } = await openForm(undefined, '/device?scene=1');
    expect(within(dialog).getByRole('combobox', { name: /^Model/ })).toHaveValue('3');
    expect(within(dialog).getByRole('combobox', { name: 'Scene' })).toHaveValue('1');
    await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await waitForDialogClosed();
    await act(() => router.navigate({ to: '/device', search: { scene: 2, add: 'new' } }));
    const again = await findDialog('Add a device');
    expect(within(again).getByRole('combobox', { name: 'Scene' })).toHaveValue('0');
  });

  it('whose name is taken leads to the device that has it, without a question', async () => {
    const { user, dialog, router } = await openForm();
    await user.type(name(dialog), 'Orchard mast');
    await user.click(submit(dialog));
    await waitFor(() => expect(name(dialog)).toHaveAccessibleDescription('a device has this name already'));
    await user.click(within(dialog).getByRole('button', { name: 'Open that device' }));
    await waitFor(() => expect(router.state.location.search).toEqual({ device: 'WS-1' }));
    await waitForDialogClosed(() => screen.queryByText('Add a device'));
    expect(screen.queryByText('Discard the changes?')).toBeNull();
  });

  it('cannot be made once all are used', async () => {
    const { dialog } = await openForm({ products: [probe], used: 50 });
    expect(dialog).toHaveTextContent('All 50 are used');
    expect(submit(dialog)).toBeDisabled();
  });

  it('says after a lost answer that a second attempt is safe', async () => {
    const { user, dialog } = await openForm();
    server.answers.set(addPaths.create, () => HttpResponse.error());
    await user.type(name(dialog), 'Lower field');
    await user.click(submit(dialog));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent(
      'The device may have been added all the same. Try again',
    );
    await user.type(name(dialog), 's');
    expect(within(dialog).queryByRole('alert')).toBeNull();
  });

  it('is sent once, however often the button is pressed', async () => {
    const answer = gate();
    const { user, dialog } = await openForm();
    server.answers.set(addPaths.create, async () => {
      await answer.passed;
      return ok({ deviceName: 'd-late', secret: 's' });
    });
    await user.type(name(dialog), 'Lower field');
    await user.dblClick(submit(dialog));
    answer.open();
    await findDialog('Connect “Lower field”');
    expect(sentTo(server, addPaths.create)).toHaveLength(1);
  });

  it('asks before what was typed is lost', async () => {
    const { user, dialog, router } = await openForm();
    await user.type(name(dialog), 'Lower');
    await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    const question = await findDialog('Discard the changes?');
    await user.click(within(question).getByRole('button', { name: 'Keep editing' }));
    expect(name(dialog)).toHaveValue('Lower');
    await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await user.click(within(await findDialog('Discard the changes?')).getByRole('button', { name: 'Discard changes' }));
    await waitForDialogClosed();
    expect(router.state.location.search).toEqual({});
  });
});

describe('the connection of a new device', () => {
  it('shows the secret once, in the lines too, until it is stored', async () => {
    const { user, connect, client, router } = await createDevice();
    expect(connect).toHaveTextContent('Put the user name and the secret into the device.');
    expect(within(connect).getByText('a-secret-of-32-letters-and-digits')).toBeVisible();
    expect(await within(connect).findByText(/^mosquitto_pub/)).toHaveTextContent(
      '-u d-new3 -P a-secret-of-32-letters-and-digits',
    );
    expect(connect).toHaveTextContent('Waiting for the first reading…');
    expect(within(connect).getByRole('button', { name: 'Done' })).toBeDisabled();
    await user.keyboard('{Escape}');
    await act(async () => {
      void router.navigate({ to: '/message' });
      await Promise.resolve();
    });
    expect(router.state.location.pathname).toBe('/device');
    await user.click(within(connect).getByRole('button', { name: 'Close' }));
    expect(within(connect).getByRole('alert')).toHaveTextContent('Tick this first');
    expect(stored(connect)).toHaveFocus();
    await user.click(stored(connect));
    await user.click(within(connect).getByRole('button', { name: 'Done' }));
    await waitForDialogClosed();
    expect(router.state.location.search).toEqual({});
    expect(document.body.innerHTML).not.toContain('a-secret-of-32');
    const kept = client.getMutationCache().getAll();
    expect(JSON.stringify(kept.map(({ state }) => state))).not.toContain('a-secret-of-32');
    expect(useAdded.getState().added).toBeNull();
    expect(await screen.findByText('Lower field')).toBeVisible();
  });

  it('shows the first reading as soon as it comes, and leads to the device', async () => {
    const { user, connect, router, added } = await createDevice();
    await waitFor(() => expect(added.firstAsked).toBe(1));
    await event('reading', { deviceName: 'd-new3', time: Date.now(), values: { airTemperature: 21.4 } });
    await waitFor(() => expect(connect).toHaveTextContent('The first reading is here'));
    expect(connect).toHaveTextContent(/Air temperature21\.4\s°C/);
    expect(added.firstAsked).toBe(1);
    expect(within(connect).getByRole('button', { name: 'Open the device' })).toBeDisabled();
    await user.click(stored(connect));
    await user.click(within(connect).getByRole('button', { name: 'Open the device' }));
    await waitFor(() => expect(router.state.location.search).toEqual({ device: 'd-new3' }));
  });

  it('leads to another device with an empty form', async () => {
    const { user, connect } = await createDevice();
    await event('reading', { deviceName: 'd-new3', time: Date.now(), values: { airTemperature: 21.4 } });
    await user.click(stored(connect));
    await user.click(await within(connect).findByRole('button', { name: 'Add another' }));
    const dialog = await findDialog('Add a device');
    expect(name(dialog)).toHaveValue('');
    await waitFor(() => expect(dialog).toHaveTextContent('4 of 50 used'));
    await user.type(name(dialog), 'Upper field');
    await user.click(submit(dialog));
    const second = await findDialog('Connect “Upper field”');
    expect(second).toHaveTextContent('Waiting for the first reading…');
    expect(stored(second)).not.toBeChecked();
  });

  it('replaces the secret if another is made for a device that has a wrong one', async () => {
    const { user, connect } = await createDevice();
    await user.click(stored(connect));
    await event('hint', { deviceName: 'd-new3', kind: 'wrongSecret', time: Date.now(), address: '203.0.113.x' });
    expect(
      await within(connect).findByText(/A device at 203.0.113.x signed in as d-new3 with another secret/),
    ).toBeVisible();
    await user.click(within(connect).getByRole('button', { name: 'New secret' }));
    const question = await findDialog('Make a new secret?');
    await user.click(within(question).getByRole('button', { name: 'Make secret' }));
    expect(await within(connect).findByText('a-brand-new-secret-of-32-letters')).toBeVisible();
    expect(stored(connect)).not.toBeChecked();
    expect(screen.queryByText('Keep the secret now')).toBeNull();
  });

  it('is shown again to the user who was led away', async () => {
    addServer(server, { products: [probe] });
    useAdded.setState({
      added: { kind: 'device', deviceName: 'd-7', noteName: 'Lower field', secret: 'not-yet-stored' },
    });
    await openDevices(server);
    expect(await findDialog('Connect “Lower field”')).toHaveTextContent('not-yet-stored');
  });

  it('reports a server that limits devices', async () => {
    const { user, dialog } = await openForm();
    server.answers.set(addPaths.create, () =>
      refused(429, 'A hundred devices an hour are the most. Try again in 40 min'),
    );
    await user.type(name(dialog), 'Lower field');
    await user.click(submit(dialog));
    expect(await screen.findByText('A hundred devices an hour are the most. Try again in 40 min')).toBeVisible();
    expect(name(dialog)).toHaveValue('Lower field');
    expect(toasts()).toEqual([]);
  });
});
