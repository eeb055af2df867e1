import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Device } from '@/lib/device/types';
import { useLanguage } from '@/lib/i18n/i18n';
import { deviceServer, openDevices, paths } from '@/test/deviceServer';
import { setWidth } from '@/test/mediaQueries';
import { toasts } from '@/test/profileServer';
import { refused } from '@/test/server';
import { device, noon } from '@/test/telemetryServer';
import { setCompact } from './table/density';

let server: ReturnType<typeof deviceServer>;

const table = () => screen.getByRole('table', { name: 'Devices' });
const names = () =>
  within(table())
    .getAllByRole('rowheader')
    .map((cell) => cell.textContent);
const row = (name: RegExp) => within(table()).getByRole('row', { name });
const lastAsked = () => Object.fromEntries(server.asked.at(-1) ?? []);
const manyDevices = (count: number) =>
  Array.from({ length: count }, (_, i) => device({ id: i + 1, deviceName: `D-${i + 1}`, noteName: `Mast ${i + 1}` }));

beforeEach(() => {
  server = deviceServer();
  setCompact(false);
});

describe('the table', () => {
  it('shows each device at a glance', async () => {
    await openDevices(server);
    expect(screen.getByText('3 devices in 2 scenes and the default group')).toBeVisible();
    expect(names()).toEqual(['Orchard mast', 'Lower mast', 'No remark yet']);
    expect(row(/Orchard mast/)).toHaveTextContent(/WS-1Weather mastNorth orchardno positionOnline\d+ s3\.4\s°CEdit/);
    expect(row(/Orchard mast/).textContent, 'a non-breaking space joins a number and its unit').toContain(
      '3.4\u00a0°C',
    );
    expect(row(/Lower mast/)).toHaveTextContent('Offline');
    expect(row(/SXT-3/)).toHaveTextContent(/Default group.*Onlinelive.*Video/);
    // Users who write files for the provider need the product's identifier.
    expect(screen.getAllByTitle('Weather mast · weather-mast')).toHaveLength(3);
  });

  it.each([1440, 390])(
    'marks, at a width of %d px, devices that have an open alarm, offline ones too',
    async (width) => {
      setWidth(width);
      Object.assign(server.devices[0] ?? {}, { alarmLevel: 2, openAlarms: 3 });
      Object.assign(server.devices[1] ?? {}, { alarmLevel: 0, openAlarms: 1 });
      await openDevices(server);
      const marks = screen.getAllByTitle(/^Pending alarm · /).map(({ textContent }) => textContent);
      expect(marks).toEqual(['Online · Pending alarm · Serious', 'Offline · Pending alarm · General']);
    },
  );

  it('has columns for battery and signal where a device reports them', async () => {
    const { unmount } = await openDevices(server);
    const heads = () =>
      within(table())
        .getAllByRole('columnheader')
        .map(({ textContent }) => textContent);
    expect(heads()).not.toContain('Battery');
    expect(heads()).not.toContain('Signal');
    unmount();
    Object.assign(server.devices[0] ?? {}, {
      batterySign: 'batteryVoltage',
      lastData: [{ batteryVoltage: { value: 3.6, unit: 'V', name: 'Battery', time: noon } }],
    });
    await openDevices(server);
    expect(heads()).toContain('Battery');
    expect(heads()).not.toContain('Signal');
  });

  it('searches once typing pauses, keeps the search in the address, and clears it', async () => {
    const { user, router } = await openDevices(server, '/device?page=1');
    await user.type(screen.getByRole('textbox', { name: 'Search devices' }), ' lower ');
    await waitFor(() => expect(names()).toEqual(['Lower mast']));
    expect(lastAsked()).toMatchObject({ deviceName: 'lower', pageNo: '1', pageSize: '10' });
    expect(router.state.location.search).toMatchObject({ q: 'lower' });
    await user.click(screen.getByRole('button', { name: 'Clear the search' }));
    await waitFor(() => expect(names()).toHaveLength(3));
    expect(router.state.location.search.q).toBeUndefined();
  });

  it('filters by state, product and scene', async () => {
    const { user, router } = await openDevices(server);
    await user.click(screen.getByRole('radio', { name: 'Offline' }));
    await waitFor(() => expect(names()).toEqual(['Lower mast']));
    await user.click(screen.getByRole('radio', { name: 'All' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Model' }), 'Field camera');
    await waitFor(() => expect(lastAsked()).toMatchObject({ productId: '2' }));
    await user.click(screen.getByRole('button', { name: /^Default group/ }));
    await waitFor(() => expect(lastAsked()).toMatchObject({ productId: '2', groupId: '0' }));
    expect(router.state.location.search).toMatchObject({ product: 2, scene: 0 });
    expect(screen.getByRole('button', { name: /^Default group/ })).toHaveAttribute('aria-current', 'true');
  });

  it('offers the models of which there are devices, and one that the address names', async () => {
    const models = () =>
      within(screen.getByRole('combobox', { name: 'Model' }))
        .getAllByRole('option')
        .map(({ textContent }) => textContent);
    const { unmount } = await openDevices(server);
    await waitFor(() => expect(models()).toEqual(['All models', 'Weather mast', 'Field camera']));
    unmount();
    await openDevices(server, '/device?product=3');
    await waitFor(() => expect(models()).toEqual(['All models', 'Weather mast', 'Field camera', 'Water meter']));
  });

  it('is sorted by the server: the second click reverses the order, the third restores the default', async () => {
    const { user } = await openDevices(server);
    const head = (name: string) => within(table()).getByRole('columnheader', { name });
    const choose = (name: string) => user.click(within(head(name)).getByRole('button'));
    await choose('Model');
    await waitFor(() => expect(lastAsked()).toMatchObject({ sort: 'productName' }));
    expect(head('Model')).toHaveAttribute('aria-sort', 'ascending');
    await choose('Model');
    await waitFor(() => expect(lastAsked()).toMatchObject({ sort: 'productName', descending: 'true' }));
    expect(head('Model')).toHaveAttribute('aria-sort', 'descending');
    await choose('Model');
    await waitFor(() => expect(head('Model')).not.toHaveAttribute('aria-sort'));

    // The newest contact comes first.
    await choose('Contact');
    await waitFor(() => expect(lastAsked()).toMatchObject({ sort: 'lastContact', descending: 'true' }));
    await choose('Contact');
    await waitFor(() => expect(lastAsked()).toMatchObject({ sort: 'lastContact' }));
    expect(head('Contact')).toHaveAttribute('aria-sort', 'ascending');
  });

  it('has pages of 10, 100, 200, 300 and 400 devices', async () => {
    server.devices = manyDevices(812);
    const { user, router } = await openDevices(server);
    expect(screen.getByText('1–10 of 812')).toBeVisible();
    const size = screen.getByRole('combobox', { name: 'Rows on a page' });
    expect(
      within(size)
        .getAllByRole('option')
        .map(({ textContent }) => textContent),
    ).toEqual([10, 100, 200, 300, 400].map((n) => `${n} / page`));
    await user.click(screen.getByRole('listitem', { name: '2' }));
    await waitFor(() => expect(names()[0]).toBe('Mast 11'));
    await user.selectOptions(size, '400 / page');
    // Counted without roles: computing the roles of 400 rows takes long on a slow machine.
    await waitFor(() => expect(table().querySelectorAll('[data-row]')).toHaveLength(400));
    expect(router.state.location.search).toMatchObject({ size: 400 });
    expect(screen.getByText('1–400 of 812')).toBeVisible();
  });

  it('goes to the last page if the address’s page no longer exists', async () => {
    server.devices = manyDevices(12);
    const { router } = await openDevices(server, '/device?page=9');
    await waitFor(() => expect(names()).toEqual(['Mast 11', 'Mast 12']));
    expect(router.state.location.search).toMatchObject({ page: 2 });
  });

  it('has a compact density, which is remembered', async () => {
    const { user } = await openDevices(server);
    const button = screen.getByRole('button', { name: 'Compact rows' });
    expect(button).toHaveAttribute('aria-pressed', 'false');
    await user.click(button);
    expect(table()).toHaveClass('compact');
    expect(localStorage.getItem('tilth.device-table')).toContain('true');
  });

  it('opens as the address says', async () => {
    await openDevices(server, '/device?q=mast&state=online&sort=deviceName&descending=true&size=100');
    expect(lastAsked()).toEqual({
      deviceName: 'mast',
      onlineState: '1',
      sort: 'deviceName',
      descending: 'true',
      pageNo: '1',
      pageSize: '100',
    });
    expect(screen.getByRole('textbox', { name: 'Search devices' })).toHaveValue('mast');
    expect(screen.getByRole('radio', { name: 'Online' })).toBeChecked();
  });
});

describe('an empty table', () => {
  it('says what to do next', async () => {
    server.devices = [];
    await openDevices(server);
    expect(screen.getByText('Devices appear here as soon as your provider has added them.')).toBeVisible();
  });

  it('of a deleted scene says so and leads to all devices', async () => {
    const { user, router } = await openDevices(server, '/device?scene=99');
    expect(await screen.findByText('This scene no longer exists')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Clear search and filters' }));
    await waitFor(() => expect(router.state.location.search).not.toHaveProperty('scene'));
    expect(await screen.findByRole('table', { name: 'Devices' })).toBeVisible();
  });

  it('of an empty scene says how to fill it', async () => {
    await openDevices(server, '/device?scene=2');
    expect(screen.getByText('No devices in this scene')).toBeVisible();
  });

  it('of a search offers to clear the search', async () => {
    const { user } = await openDevices(server, '/device?q=zzz&state=offline&product=1');
    expect(screen.getByText('No device matches')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Clear search and filters' }));
    await waitFor(() => expect(names()).toHaveLength(3));
    expect(screen.getByRole('textbox', { name: 'Search devices' })).toHaveValue('');
  });
});

describe('a failure', () => {
  it('is shown above the existing rows and can be retried', async () => {
    const { user, client } = await openDevices(server);
    server.answers.set(paths.page, () => refused(500, 'Something inside the server failed'));
    await act(() => client.invalidateQueries({ queryKey: ['devices', 'page'] }));
    const note = await within(screen.getByRole('main')).findByRole('alert');
    expect(note).toHaveTextContent('Something inside the server failed');
    expect(toasts()).toEqual([{ tone: 'error', title: 'Something inside the server failed', text: undefined }]);
    expect(names()).toHaveLength(3);
    server.answers.clear();
    await user.click(within(note).getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(note).not.toBeInTheDocument());
  });

  it('of the first request leaves the rest of the page intact', async () => {
    server.answers.set(paths.page, () => refused(500, 'no'));
    await openDevices(server);
    expect(screen.getByText('The devices could not be fetched')).toBeVisible();
    expect(screen.getByRole('button', { name: /^North orchard/ })).toBeVisible();
  });
});

describe('live', () => {
  const streamEvent = (name: string, data: object) =>
    act(() => server.live.newest()?.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));

  it('updates a row with a reading and a presence change, without a request', async () => {
    server.devices[0] = { ...server.devices[0], lastContact: Date.now() - 3 * 3_600_000 } as Device;
    await openDevices(server);
    expect(row(/Orchard mast/)).toHaveTextContent('3 h');
    const before = server.asked.length;
    streamEvent('reading', { deviceName: 'WS-1', time: Date.now(), values: { airTemperature: 7.7 } });
    await waitFor(() => expect(row(/Orchard mast/)).toHaveTextContent('7.7'));
    expect(row(/Orchard mast/)).not.toHaveTextContent('3 h');
    streamEvent('presence', { deviceName: 'WS-1', onlineState: 0, time: Date.now() + 5 });
    await waitFor(() => expect(row(/Orchard mast/)).toHaveTextContent('Offline'));
    expect(server.asked).toHaveLength(before);
  });

  it('removes a device that goes offline from the list of online devices', async () => {
    await openDevices(server, '/device?state=online');
    expect(names()).toEqual(['Orchard mast', 'No remark yet']);
    server.devices = server.devices.map((device) =>
      device.deviceName === 'WS-1' ? { ...device, onlineState: 0 } : device,
    );
    streamEvent('presence', { deviceName: 'WS-1', onlineState: 0, time: Date.now() + 5 });
    await waitFor(() => expect(names()).toEqual(['No remark yet']));
  });
});

describe('on a phone', () => {
  beforeEach(() => setWidth(390));

  it('shows devices as cards; filters and order open below the search', async () => {
    const { user } = await openDevices(server);
    expect(screen.queryByRole('table')).toBeNull();
    const card = screen.getByRole('link', { name: /Orchard mast/ });
    expect(card).toHaveTextContent(/WS-1 · North orchard3\.4\s°COnline/);
    expect(screen.queryByRole('combobox', { name: 'Model' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Filters' }));
    await user.selectOptions(screen.getByRole('combobox', { name: 'Order' }), 'Last contact');
    await waitFor(() => expect(lastAsked()).toMatchObject({ sort: 'lastContact', descending: 'true' }));
    await user.click(screen.getByRole('button', { name: 'Descending' }));
    await waitFor(() => expect(lastAsked().descending).toBeUndefined());
    await user.click(card);
    expect(await screen.findByRole('dialog', { name: 'Orchard mast' })).toBeVisible();
  });

  it('shows the scenes as a field that opens their list', async () => {
    const { user, router } = await openDevices(server);
    await user.click(screen.getByRole('button', { name: 'Choose a scene: All devices 3' }));
    const drawer = await screen.findByRole('dialog', { name: 'Scenes' });
    await user.click(within(drawer).getByRole('button', { name: /^North orchard/ }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ scene: 1 }));
    expect(await screen.findByRole('button', { name: 'Choose a scene: North orchard 2' })).toBeVisible();
  });

  it('says in the field too that the scene was deleted', async () => {
    await openDevices(server, '/device?scene=99');
    const name = 'Choose a scene: This scene no longer exists';
    expect(await screen.findByRole('button', { name })).toBeVisible();
  });
});

it.each([
  ['zh-cn', '3台设备，分布于2个场景和默认分组', '在线', '编辑'],
  ['tr-tr', '3 cihaz, 2 sahada ve sahasız', 'Çevrim içi', 'Düzenle'],
  ['ru-ru', '3 устройства на 2 участках и без участка', 'На связи', 'Изменить'],
] as const)('speaks %s', async (language, summary, online, edit) => {
  await openDevices(server);
  await act(() => useLanguage.getState().setLanguage(language));
  expect(await screen.findByText(summary)).toBeVisible();
  expect(screen.getAllByText(online).length).toBeGreaterThan(1);
  expect(screen.getAllByText(edit)).toHaveLength(3);
});
