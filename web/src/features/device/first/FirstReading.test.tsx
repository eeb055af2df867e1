import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { addServer, findDialog } from '@/test/addServer';
import { deviceServer, openDevices } from '@/test/deviceServer';
import { elif } from '@/test/profileServer';
import { ok, onGet, refused } from '@/test/server';
import { device } from '@/test/telemetryServer';

let server: ReturnType<typeof deviceServer>;
let added: ReturnType<typeof addServer>;

beforeEach(() => {
  const silent = device({ id: 4, deviceName: 'd-4', noteName: 'Lower field', lastData: [], lastContact: undefined });
  server = deviceServer([silent, device({ id: 1, deviceName: 'WS-1', noteName: 'Orchard mast' })]);
  added = addServer(server);
});

const panel = () => screen.findByRole('region', { name: 'First reading' });
const send = (name: string, data: object) =>
  act(async () => server.live.newest()?.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
const open = async () => {
  const opened = await openDevices(server, '/device?device=d-4');
  return { ...opened, panel: await panel() };
};

describe('a device that has never reported', () => {
  it('shows what went wrong, in sentences, newest first, each once', async () => {
    const now = Date.now();
    added.first.hints = [{ kind: 'unreadable', time: now - 60_000 }];
    const { panel } = await open();
    expect(within(panel).getByRole('status')).toHaveTextContent('Waiting for the first reading…');
    expect(panel).toHaveTextContent('Something arrived that is not readable JSON.');
    const refusal = { deviceName: 'd-4', kind: 'refused', identifier: 'temp', reason: 'unknown' };
    await send('hint', { ...refusal, time: now - 2000, didYouMean: 'airTemperature' });
    await send('hint', { ...refusal, time: now - 1000, didYouMean: 'airTemperature' });
    await send('hint', { ...refusal, deviceName: 'WS-1', time: now, identifier: 'elsewhere' });
    await waitFor(() => expect(within(panel).getAllByRole('listitem')).toHaveLength(2));
    expect(within(panel).getAllByRole('listitem')[0]).toHaveTextContent(
      '“temp” is not a parameter of Weather mast. Did you mean airTemperature?',
    );
  });

  it('offers a new secret to one that has another', async () => {
    const { panel, user } = await open();
    await send('hint', { deviceName: 'd-4', kind: 'wrongSecret', time: Date.now(), address: '203.0.113.x' });
    await user.click(await within(panel).findByRole('button', { name: 'New secret' }));
    expect(await findDialog('Make a new secret?')).toBeVisible();
  });

  it('shows the first reading when it comes, and keeps what was refused of it', async () => {
    const { panel } = await open();
    const now = Date.now();
    await send('hint', { deviceName: 'd-4', kind: 'wrongSecret', time: now - 2000, address: '203.0.113.x' });
    await send('hint', { deviceName: 'd-4', kind: 'refused', time: now, identifier: 'temp', reason: 'unknown' });
    await send('reading', { deviceName: 'd-4', time: now, values: { airHumidity: 80, battery: 3.6 } });
    await waitFor(() => expect(within(panel).getByRole('status')).toHaveTextContent('The first reading is here'));
    expect(panel).toHaveTextContent(/Relative humidity80%battery3\.6/);
    expect(within(panel).getAllByRole('listitem')).toHaveLength(1);
    expect(panel).toHaveTextContent('“temp”: The device model has no such parameter.');
    await send('reading', { deviceName: 'd-4', time: now + 1, values: { airTemperature: 21.4 } });
    await waitFor(() => expect(panel).toHaveTextContent(/Air temperature21\.4\s°CRelative humidity80/));
  });

  it('keeps saying that the path is not right when readings come all the same', async () => {
    const { panel } = await open();
    const now = Date.now();
    const hint = { deviceName: 'd-4', kind: 'wrongPath', time: now, address: '203.0.113.x' };
    await send('hint', { ...hint, path: '/api/v1/SECRET/ecowitt' });
    await send('hint', { ...hint, kind: 'wrongProtocol', reason: 'mqtt31' });
    await waitFor(() => expect(within(panel).getAllByRole('listitem')).toHaveLength(2));
    expect(panel).toHaveTextContent('speaks MQTT 3.1');
    await send('reading', { deviceName: 'd-4', time: now, values: { airHumidity: 80 } });
    await waitFor(() => expect(within(panel).getAllByRole('listitem')).toHaveLength(1));
    expect(panel).toHaveTextContent('set the path to /api/v1/SECRET/ecowitt');
  });

  it('is asked again only after a gap in the stream', async () => {
    const { panel } = await open();
    const asked = added.firstAsked;
    await send('reading', { deviceName: 'WS-1', time: Date.now(), values: { airTemperature: 3 } });
    await waitFor(() => expect(screen.getAllByText(/^3.0\s°C$/).length).toBeGreaterThan(0));
    expect(added.firstAsked).toBe(asked);
    added.first = { state: 'received', hints: [], reading: { time: Date.now(), values: { airTemperature: 21.4 } } };
    await send('reset', {});
    await waitFor(() => expect(within(panel).getByRole('status')).toHaveTextContent('The first reading is here'));
    expect(added.firstAsked).toBe(asked + 1);
  });

  it('says why it cannot be asked', async () => {
    onGet('/admin-api/client/pc/device/get/first-reading', () => refused(500, 'Something inside the server failed'));
    const { panel } = await open();
    expect(within(panel).getByRole('alert')).toHaveTextContent('Something inside the server failed');
  });

  it('is not waited for by a viewer', async () => {
    onGet('/app-api/member/user/get', () => ok({ ...elif, role: 'viewer' }));
    await openDevices(server, '/device?device=d-4');
    expect(await screen.findByRole('region', { name: 'Connection' })).toBeVisible();
    expect(screen.queryByRole('region', { name: 'First reading' })).toBeNull();
    expect(added.firstAsked).toBe(0);
  });
});

it('a device that has reported is not waited for', async () => {
  await openDevices(server, '/device?device=WS-1');
  expect(await screen.findByRole('region', { name: 'Connection' })).toBeVisible();
  expect(screen.queryByRole('region', { name: 'First reading' })).toBeNull();
});

describe('a device that has reported before', () => {
  it('says what is wrong with how it reaches the server now, and nothing older than its readings', async () => {
    const now = Date.now();
    const fault = { kind: 'wrongProtocol', address: '203.0.113.x' } as const;
    added.first = {
      state: 'received',
      reading: { time: now - 60_000, values: { airTemperature: 3 } },
      hints: [
        { ...fault, reason: 'mqtt31', time: now - 1000 },
        { ...fault, reason: 'clientId', time: now - 120_000 },
        { kind: 'refused', identifier: 'temp', reason: 'unknown', time: now - 1000 },
      ],
    };
    await openDevices(server, '/device?device=WS-1');
    const list = await screen.findByRole('list', { name: 'What went wrong so far' });
    expect(within(list).getAllByRole('listitem')).toHaveLength(1);
    expect(list).toHaveTextContent('The device at 203.0.113.x speaks MQTT 3.1');
  });
});
