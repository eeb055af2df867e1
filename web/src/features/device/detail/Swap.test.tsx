import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse } from 'msw';
import { beforeEach, describe, expect, it } from 'vitest';
import { findDialog, sentTo } from '@/test/addServer';
import { deviceServer, openDevices, paths } from '@/test/deviceServer';
import { elif } from '@/test/profileServer';
import { ok, onGet, refused } from '@/test/server';
import { forgetAdded, useAdded } from '../add/added';

let server: ReturnType<typeof deviceServer>;

beforeEach(() => {
  forgetAdded();
  server = deviceServer();
});

const open = () => openDevices(server, '/device?device=WS-1');

async function ask() {
  const opened = await open();
  await opened.user.click(screen.getByRole('button', { name: 'Swap the device' }));
  const form = within(await findDialog('Swap “Orchard mast” for another device'));
  return { ...opened, form, send: () => opened.user.click(form.getByRole('button', { name: 'Swap' })) };
}

describe('swapping a device', () => {
  it('says what stays and ends, then shows the secret once and waits for the new box', async () => {
    const { user, form, send, client } = await ask();
    expect(form.getByText('What stays').nextSibling).toHaveTextContent('all readings, alarm rules');
    expect(form.getByText('What ends now').nextSibling).toHaveTextContent('secrets and connection');
    await user.type(form.getByRole('textbox', { name: 'Serial' }), ' S-2 ');
    await user.type(form.getByRole('textbox', { name: 'Note' }), 'hail');
    await user.click(form.getByRole('checkbox', { name: 'Short secret' }));
    await send();
    const connect = within(await findDialog('Connect the new “Orchard mast”'));
    expect(sentTo(server, paths.swap)).toEqual([{ deviceName: 'WS-1', serial: 'S-2', note: 'hail', short: true }]);
    expect(connect.getByText('a-secret-of-the-next-box-32-letters')).toBeVisible();
    expect(connect.getByText('Waiting for the first reading…')).toBeVisible();
    const event = { deviceName: 'WS-1', time: Date.now(), values: { airTemperature: 4.5 } };
    server.live.newest()?.write(`event: reading\ndata: ${JSON.stringify(event)}\n\n`);
    expect(await connect.findByText('The first reading is here')).toBeVisible();
    expect(connect.getByRole('button', { name: 'Done' })).toBeDisabled();
    expect(connect.queryByRole('button', { name: 'Add another' })).toBeNull();
    await user.click(connect.getByRole('checkbox', { name: 'I have stored the secret' }));
    await user.click(connect.getByRole('button', { name: 'Done' }));
    await waitFor(() => expect(useAdded.getState().added).toBeNull());
    const kept = client.getMutationCache().getAll();
    expect(JSON.stringify(kept.map(({ state }) => state))).not.toContain('a-secret-of-the-next');
    // Of the next swap again the first reading is waited for.
    await user.click(screen.getByRole('button', { name: 'Swap the device' }));
    const again = within(await findDialog('Swap “Orchard mast” for another device'));
    expect(again.getByRole('textbox', { name: 'Serial' })).toHaveValue('');
    await user.click(again.getByRole('button', { name: 'Swap' }));
    const next = within(await findDialog('Connect the new “Orchard mast”'));
    expect(next.getByText('Waiting for the first reading…')).toBeVisible();
  });

  it('leads to the device that has the serial', async () => {
    server.answers.set(paths.swap, () =>
      refused(601, 'Serial: another device has this serial number already', { deviceName: 'WS-2' }),
    );
    const { user, form, send, router } = await ask();
    await user.type(form.getByRole('textbox', { name: 'Serial' }), 'S-2');
    await send();
    expect(await form.findByText(/another device has this serial number/i)).toBeVisible();
    await user.click(form.getByRole('link', { name: 'Open that device' }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ device: 'WS-2' }));
  });

  it('says what else the server refuses, and that a swap without answer may be done', async () => {
    server.answers.set(paths.swap, () => refused(601, 'This camera has no box with a secret'));
    const { user, form, send } = await ask();
    await send();
    expect(await form.findByText('This camera has no box with a secret')).toBeVisible();
    server.answers.set(paths.swap, () => HttpResponse.error());
    await user.type(form.getByRole('textbox', { name: 'Serial' }), 'S-2');
    expect(form.queryByText('This camera has no box with a secret')).toBeNull();
    await send();
    expect(await form.findByText(/It may have been swapped all the same/)).toBeVisible();
  });

  it('refuses a serial and a note that are too long', async () => {
    const { user, form, send } = await ask();
    await user.click(form.getByRole('textbox', { name: 'Serial' }));
    await user.paste('x'.repeat(65));
    await user.click(form.getByRole('textbox', { name: 'Note' }));
    await user.paste('x'.repeat(201));
    await send();
    expect(form.getByRole('textbox', { name: 'Serial' })).toHaveAccessibleDescription(/64/);
    expect(form.getByRole('textbox', { name: 'Note' })).toHaveAccessibleDescription(/200/);
    expect(sentTo(server, paths.swap)).toEqual([]);
  });

  it('is not for viewers, who see earlier swaps', async () => {
    onGet('/app-api/member/user/get', () => ok({ ...elif, role: 'viewer' }));
    server.events = [{ time: Date.now(), kind: 'swap', note: 'hail', serial: 'S-2', formerSerial: 'S-1', by: 'Ada' }];
    await open();
    expect(await screen.findByRole('region', { name: 'Connection' })).toBeVisible();
    await waitFor(() => expect(screen.getByRole('region', { name: 'Swaps' })).toHaveTextContent('hail'));
    expect(screen.queryByRole('button', { name: 'Swap the device' })).toBeNull();
  });
});

describe('the swaps', () => {
  it('are not shown of a device without any', async () => {
    await open();
    expect(screen.queryByRole('region', { name: 'Swaps' })).toBeNull();
  });

  it('are listed with note, serials and people', async () => {
    const time = Date.now() - 86_400_000;
    server.events = [
      { time: time + 1, kind: 'calibration', yeuSign: 'gone', calibrationId: 3, by: 'Ada' },
      { time, kind: 'swap', note: 'hail', serial: 'S-2', formerSerial: 'S-1', by: 'Ada' },
    ];
    await open();
    const list = within(screen.getByRole('region', { name: 'Swaps' }));
    await waitFor(() => {
      const rows = list.getAllByRole('listitem').map(({ textContent }) => textContent);
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatch(/Swappedhailserial S-2, before S-1 · by Ada$/);
    });
  });
});
