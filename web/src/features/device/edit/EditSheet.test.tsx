import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Device } from '@/lib/device/types';
import { deviceServer, openDevices, paths } from '@/test/deviceServer';
import { setWidth } from '@/test/mediaQueries';
import { toasts, waitForDialogClosed } from '@/test/profileServer';
import { refused } from '@/test/server';
import type { PinMapProps } from './PinMap';
import { bodyOf, valuesOf } from './rules';

const map = vi.hoisted(() => ({ fails: false, moves: 0 }));

// Leaflet needs a browser's layout. Here the map is its pin's position and a button that moves the
// pin.
vi.mock('./PinMap', () => ({
  PinMap: ({ place, moves, onPlace }: PinMapProps) => {
    if (map.fails) throw new Error('chunk');
    map.moves = moves;
    return (
      <button type="button" onClick={() => onPlace({ latitude: 37.9, longitude: 27.4000004 })}>
        {place ? `pin at ${place.latitude} ${place.longitude}` : 'no pin'}
      </button>
    );
  },
}));

let server: ReturnType<typeof deviceServer>;

const placed = { latitude: 37.856912, longitude: 27.340887 };
const sent = () => server.sent.filter(({ path }) => path === paths.update).map(({ body }) => body);
/** What is sent of the first device: its values, but for those that changed. */
const bodyWith = (change: object) => {
  const [device] = server.devices as [Device];
  return { deviceName: 'WS-1', groupId: device.groupId, ...bodyOf(valuesOf(device)), ...change };
};
const sheet = () => screen.getByRole('dialog', { name: 'Edit Orchard mast' });
const field = (name: RegExp | string) => within(sheet()).getByRole<HTMLInputElement>('textbox', { name });
const note = () => field(/^Remark name/);
const save = () => within(sheet()).getByRole('button', { name: 'Save' });

beforeEach(() => {
  map.fails = false;
  server = deviceServer();
  server.devices = server.devices.map((device) => (device.id === 1 ? { ...device, ...placed } : device));
});

async function open(address = '/device?device=WS-1&edit=true') {
  const opened = await openDevices(server, address);
  await within(sheet()).findByText(/^pin|^no pin/);
  return opened;
}

describe('the form', () => {
  it('stands beside the table with the device’s values, and is focused', async () => {
    await open();
    expect(screen.getByRole('table', { name: 'Devices' })).toBeVisible();
    expect(screen.queryByRole('region', { name: 'Scenes' })).toBeNull();
    expect(field('Device name')).toHaveValue('WS-1');
    expect(field('Device name')).toHaveAttribute('readonly');
    expect(note()).toHaveValue('Orchard mast');
    expect(note()).toHaveFocus();
    expect(sheet()).toHaveTextContent('12 of 64 characters');
    expect(field('Latitude')).toHaveValue('37.856912');
    expect(field('Longitude')).toHaveValue('27.340887');
    expect(within(sheet()).getByText('pin at 37.856912 27.340887')).toBeVisible();
  });

  it('opens from the row’s link, and the focus returns there', async () => {
    const { user } = await openDevices(server);
    const link = screen.getByRole('link', { name: 'Edit: Orchard mast' });
    expect(link).toHaveAttribute('href', '/device?device=WS-1&edit=true');
    await user.click(link);
    await screen.findByRole('dialog', { name: 'Edit Orchard mast' });
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(screen.getByRole('link', { name: 'Edit: Orchard mast' })).toHaveFocus();
  });

  it('saves the changes, shows them and leads back to the table', async () => {
    const { user, router } = await open();
    await user.clear(note());
    await user.type(note(), '  High mast ');
    await user.selectOptions(within(sheet()).getByRole('combobox', { name: 'Scene' }), 'Default group');
    await user.click(save());
    await waitFor(() => expect(sent()).toEqual([bodyWith({ noteName: 'High mast', groupId: 0 })]));
    await waitFor(() => expect(router.state.location.search.device).toBeUndefined());
    expect(await screen.findByRole('rowheader', { name: 'High mast' })).toBeVisible();
    expect(toasts()).toEqual([{ tone: 'success', title: 'Device saved' }]);
  });

  it('requires the remark name as soon as the user leaves the field', async () => {
    const { user } = await open();
    await user.clear(note());
    expect(screen.queryByText('Please fill in the remark name')).toBeNull();
    await user.tab();
    expect(screen.getByText('Please fill in the remark name')).toBeVisible();
    await user.click(save());
    expect(note()).toHaveFocus();
    expect(note()).toHaveAccessibleDescription('Please fill in the remark name');
    expect(sent()).toEqual([]);
  });

  it('stays open after a refusal, with a message titled by the feature', async () => {
    server.answers.set(paths.update, () => refused(601, 'Scene: it takes no devices'));
    const { user } = await open();
    await user.type(note(), '!');
    await user.click(save());
    await waitFor(() =>
      expect(toasts()).toEqual([{ tone: 'warning', title: 'Edit failure', text: 'Scene: it takes no devices' }]),
    );
    expect(note()).toHaveValue('Orchard mast!');
  });

  it('is not changed by live events while the user types', async () => {
    const { user } = await open();
    await user.type(note(), ' 2');
    server.devices = server.devices.map((device) =>
      device.id === 1 ? { ...device, noteName: 'From elsewhere' } : device,
    );
    act(() => server.live.newest()?.write('event: reset\ndata: {}\n\n'));
    expect(await screen.findByRole('dialog', { name: 'Edit From elsewhere' })).toBeVisible();
    const typed = within(screen.getByRole('dialog')).getByRole('textbox', { name: /^Remark name/ });
    expect(typed).toHaveValue('Orchard mast 2');
  });

  it('saves the typed values, and leaves the others as somebody else has changed them', async () => {
    const { user } = await open();
    await user.type(note(), ' 2');
    await user.click(field('Latitude'));
    await user.tab();
    server.devices = server.devices.map((device) =>
      device.id === 1 ? { ...device, noteName: 'From elsewhere', latitude: 39.884928, longitude: 32.888432 } : device,
    );
    act(() => server.live.newest()?.write('event: reset\ndata: {}\n\n'));
    const typed = await screen.findByRole('dialog', { name: 'Edit From elsewhere' });
    await within(typed).findByText('pin at 39.884928 32.888432');
    await user.click(within(typed).getByRole('button', { name: 'Save' }));
    const moved = { latitude: 39.884928, longitude: 32.888432 };
    await waitFor(() => expect(sent()).toEqual([bodyWith({ noteName: 'Orchard mast 2', ...moved })]));
  });

  it('offers unsaved values after the session ended', async () => {
    const first = await open();
    await first.user.type(note(), ' 2');
    first.unmount();
    const { user } = await open();
    expect(note()).toHaveValue('Orchard mast');
    await user.click(within(sheet()).getByRole('button', { name: 'Restore' }));
    expect(note()).toHaveValue('Orchard mast 2');
    await user.click(save());
    await waitFor(() => expect(sent()).toMatchObject([{ noteName: 'Orchard mast 2' }]));
    expect(Object.keys(sessionStorage).filter((key) => key.includes('device-WS-1'))).toEqual([]);
  });

  it('shows a refusal that concerns the device', async () => {
    server.diagnostics = {
      received: 4,
      values: 8,
      refused: 3,
      lastRefusal: {
        time: Date.now() - 14 * 60_000,
        identifier: 'soilTmp',
        reason: 'unknown',
        text: 'The device model has no such parameter',
      },
      clockAhead: 125_000,
      days: [],
    };
    await open();
    expect(sheet()).toHaveTextContent('3 values refused, the last 14 min ago');
    expect(sheet()).toHaveTextContent(
      '“soilTmp”: The device model has no such parameter. The good values of the same message were kept.',
    );
    expect(sheet()).toHaveTextContent('The device’s clock is 2 min 5 s ahead');
  });
});

describe('the position', () => {
  it('is one value of pin and numbers', async () => {
    const { user } = await open();
    await user.click(within(sheet()).getByText(/^pin at/));
    expect(field('Latitude')).toHaveValue('37.9');
    expect(field('Longitude')).toHaveValue('27.4');
    await user.clear(field('Latitude'));
    expect(within(sheet()).getByText('no pin')).toBeVisible();
    await user.type(field('Latitude'), '38,25');
    await user.tab();
    expect(field('Latitude')).toHaveValue('38.25');
    expect(within(sheet()).getByText('pin at 38.25 27.4')).toBeVisible();
    expect(map.moves).toBeGreaterThan(0);
    await user.click(save());
    await waitFor(() => expect(sent()).toMatchObject([{ latitude: 38.25, longitude: 27.4 }]));
  });

  it('takes both numbers if both are pasted', async () => {
    const { user } = await open();
    await user.clear(field('Longitude'));
    await user.click(field('Longitude'));
    await user.paste('-33.87, 151.21');
    expect(field('Latitude')).toHaveValue('-33.87');
    expect(field('Longitude')).toHaveValue('151.21');
  });

  it('can be cleared, both numbers or neither', async () => {
    const { user } = await open();
    await user.clear(field('Longitude'));
    await user.click(save());
    expect(field('Longitude')).toHaveAccessibleDescription('Both or neither');
    expect(sent()).toEqual([]);
    await user.click(within(sheet()).getByRole('button', { name: 'Clear position' }));
    expect(within(sheet()).getByText('no position')).toBeVisible();
    await user.click(save());
    await waitFor(() => expect(sent()).toMatchObject([{ latitude: null, longitude: null }]));
  });

  it('is limited to the earth', async () => {
    const { user } = await open();
    await user.clear(field('Latitude'));
    await user.type(field('Latitude'), '91');
    await user.tab();
    expect(field('Latitude')).toHaveAccessibleDescription('A number from −90 to 90');
  });

  it('keeps the number fields if the map cannot be loaded, which can be retried', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    map.fails = true;
    const { user } = await openDevices(server, '/device?device=WS-1&edit=true');
    expect(await within(sheet()).findByRole('alert')).toHaveTextContent('The map did not arrive');
    expect(field('Latitude')).toHaveValue('37.856912');
    map.fails = false;
    await user.click(within(sheet()).getByRole('button', { name: 'Retry' }));
    expect(await within(sheet()).findByText(/^pin at/)).toBeVisible();
  });
});

describe('my location', () => {
  type Found = Parameters<Geolocation['getCurrentPosition']>;
  const geolocation = (getCurrentPosition: (...args: Found) => void) =>
    Object.defineProperty(navigator, 'geolocation', { value: { getCurrentPosition }, configurable: true });
  const button = () => within(sheet()).getByRole('button', { name: 'Use my location' });

  beforeEach(() => Object.defineProperty(window, 'isSecureContext', { value: true, configurable: true }));
  afterEach(() => {
    Reflect.deleteProperty(navigator, 'geolocation');
    Reflect.deleteProperty(window, 'isSecureContext');
  });

  it('becomes the position', async () => {
    geolocation((found) => found({ coords: { latitude: 38.1234567, longitude: 27.5 } } as GeolocationPosition));
    const { user } = await open();
    await user.click(button());
    expect(field('Latitude')).toHaveValue('38.123457');
    expect(field('Longitude')).toHaveValue('27.5');
  });

  it.each([
    [1, 'The browser does not say where you are'],
    [3, 'The place could not be found'],
  ])('changes nothing and says why if the browser refuses (%i)', async (code, words) => {
    geolocation((_, failed) => failed?.({ code, PERMISSION_DENIED: 1 } as GeolocationPositionError));
    const { user } = await open();
    await user.click(button());
    expect(within(sheet()).getByRole('alert')).toHaveTextContent(words);
    expect(field('Latitude')).toHaveValue('37.856912');
  });

  it('is not offered if no browser would allow it', async () => {
    Object.defineProperty(window, 'isSecureContext', { value: false, configurable: true });
    geolocation(() => undefined);
    await open();
    expect(within(sheet()).queryByRole('button', { name: 'Use my location' })).toBeNull();
  });
});

describe('the next row', () => {
  it('opens its form at once if nothing was changed', async () => {
    const { user, router } = await open();
    await user.click(screen.getByRole('link', { name: 'Lower mast' }));
    expect(await screen.findByRole('dialog', { name: 'Edit Lower mast' })).toBeVisible();
    expect(router.state.location.search).toMatchObject({ device: 'WS-2', edit: true });
    expect(screen.getByRole('textbox', { name: /^Remark name/ })).toHaveValue('Lower mast');
  });

  it('asks first if changes would be lost', async () => {
    const { user, router } = await open();
    await user.type(note(), ' 2');
    await user.click(screen.getByRole('link', { name: 'Lower mast' }));
    const question = (await screen.findByText('Discard the changes?')).closest('[role=dialog]') as HTMLElement;
    await user.click(within(question).getByRole('button', { name: 'Keep editing' }));
    await waitFor(() => expect(note()).toHaveValue('Orchard mast 2'));
    expect(router.state.location.search).toMatchObject({ device: 'WS-1', edit: true });

    await user.click(within(sheet()).getByRole('button', { name: 'Cancel' }));
    const again = (await screen.findByText('Discard the changes?')).closest('[role=dialog]') as HTMLElement;
    await user.click(within(again).getByRole('button', { name: 'Discard changes' }));
    await waitForDialogClosed();
    expect(router.state.location.search.device).toBeUndefined();
    expect(sent()).toEqual([]);
  });
});

it('fills the screen on a phone and leads back to where it was opened', async () => {
  setWidth(390);
  const { user, router } = await openDevices(server, '/device?device=WS-1');
  await user.click(await screen.findByRole('button', { name: 'Edit' }));
  await user.type(await screen.findByRole('textbox', { name: /^Remark name/ }), ' 2');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent()).toHaveLength(1));
  await waitFor(() => expect(router.state.location.search.edit).toBeUndefined());
  expect(await screen.findByRole('dialog', { name: 'Orchard mast 2' })).toBeVisible();
});
