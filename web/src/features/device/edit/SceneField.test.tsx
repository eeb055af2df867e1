import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deviceServer, openDevices, paths } from '@/test/deviceServer';
import { refused } from '@/test/server';
import { device } from '@/test/telemetryServer';

// Leaflet needs a browser's layout.
vi.mock('./PinMap', () => ({ PinMap: () => null }));

let server: ReturnType<typeof deviceServer>;

const sent = () => server.sent.filter(({ path }) => path === paths.update).map(({ body }) => body);
const sheet = () => screen.getByRole('dialog', { name: 'Edit Orchard mast' });
const note = () => within(sheet()).getByRole('textbox', { name: /^Remark name/ });
const save = () => within(sheet()).getByRole('button', { name: 'Save' });
const open = () => openDevices(server, '/device?device=WS-1&edit=true');

beforeEach(() => {
  server = deviceServer();
});

describe('the scene', () => {
  const options = () =>
    within(within(sheet()).getByRole('combobox', { name: 'Scene' }))
      .getAllByRole<HTMLOptionElement>('option')
      .map(({ textContent, disabled }) => [textContent, disabled]);

  it('cannot be chosen if it is forbidden', async () => {
    await open();
    expect(options()).toEqual([
      ['Default group', false],
      ['North orchard', false],
      ['Old nursery (Forbidden)', true],
    ]);
  });

  it('can be saved again if the device is in it already', async () => {
    server.devices = [
      device({ id: 1, deviceName: 'WS-1', noteName: 'Orchard mast', groupId: 2, groupName: 'Old nursery' }),
    ];
    const { user } = await open();
    expect(options()[2]).toEqual(['Old nursery (Forbidden)', false]);
    await user.type(note(), ' 2');
    await user.click(save());
    await waitFor(() => expect(sent()).toMatchObject([{ groupId: 2, noteName: 'Orchard mast 2' }]));
  });

  it('shows an error if it was deleted meanwhile, and another one can be chosen', async () => {
    const third = { ...(server.scenes[0] as (typeof server.scenes)[0]), id: 3, groupName: 'Terrace' };
    server.scenes = [...server.scenes, third];
    const { user } = await open();
    const box = within(sheet()).getByRole('combobox', { name: 'Scene' });
    await user.selectOptions(box, 'Terrace');
    server.scenes = server.scenes.filter(({ id }) => id !== 3);
    server.answers.set(paths.update, () => refused(601, 'Scene: This resource does not exist'));
    await user.click(save());
    await waitFor(() => expect(sheet()).toHaveTextContent('This scene no longer exists. Choose another.'));
    server.answers.delete(paths.update);
    await user.selectOptions(box, 'Default group');
    expect(sheet()).not.toHaveTextContent('not there any more');
    await user.click(save());
    await waitFor(() => expect(sent().at(-1)).toMatchObject({ groupId: 0 }));
  });

  it('is shown by name before the other scenes are fetched, and if that fails', async () => {
    server.answers.set(paths.scenes, () => refused(500, 'no scenes'));
    await open();
    expect(options()).toEqual([
      ['Default group', false],
      ['North orchard', false],
    ]);
    expect(sheet()).toHaveTextContent('no scenes');
  });

  it('causes a warning if it is far from the device, until either is corrected', async () => {
    const away = (id: number, groupId: number, latitude?: number) =>
      device({ id, deviceName: `WS-${id}`, noteName: `Mast ${id}`, groupId, latitude, longitude: latitude && 27.3 });
    const third = { ...(server.scenes[0] as (typeof server.scenes)[0]), id: 3, groupName: 'Terrace' };
    server.scenes = [...server.scenes, third];
    server.devices = [
      device({ id: 1, deviceName: 'WS-1', noteName: 'Orchard mast', groupId: 1, latitude: 37.8, longitude: 27.3 }),
      away(2, 1, 37.801),
      // The nearest device of a scene counts; one without a position is ignored.
      away(3, 3, 37.9),
      away(4, 3, 37.85),
      away(5, 3),
    ];
    const { user } = await open();
    const box = within(sheet()).getByRole('combobox', { name: 'Scene' });
    const words = '5.6 km from the nearest device of this scene. Check the scene and the position.';
    expect(box).not.toHaveAccessibleDescription(/nearest/);
    await user.selectOptions(box, 'Terrace');
    await waitFor(() => expect(box.getAttribute('aria-describedby')).not.toBeNull());
    await waitFor(() => expect(within(sheet()).getByText(words)).toBeVisible());
    expect(within(sheet()).getByText(words)).toHaveAttribute('role', 'status');
    const latitude = within(sheet()).getByRole('textbox', { name: 'Latitude' });
    await user.clear(latitude);
    await user.type(latitude, '37.84');
    expect(within(sheet()).queryByText(/nearest device/)).toBeNull();
    await user.clear(latitude);
    await user.type(latitude, '37.8');
    expect(within(sheet()).getByText(words)).toBeVisible();
    // It is only a warning: the form can still be saved.
    await user.click(save());
    await waitFor(() => expect(sent()).toMatchObject([{ groupId: 3, latitude: 37.8 }]));
  });
});
