import type { QueryClient } from '@tanstack/react-query';
import { act, renderHook, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import type { components } from '@/api/schema.gen';
import type { Device } from '@/lib/device/types';
import { useLiveStatus } from '@/lib/live/useLive';
import { openConsole } from './console';
import { fakeStreams } from './fakeStreams';
import { ok, onDelete, onGet, onPost, onPut } from './server';
import { signedIn } from './session';
import { shellServer } from './shellServer';
import { device, overview, telemetryServer } from './telemetryServer';

type Schemas = components['schemas'];

export const scene = (id: number, groupName: string, change: Partial<Schemas['Scene']> = {}): Schemas['Scene'] => ({
  id,
  groupName,
  groupStatus: 1,
  deviceCount: 2,
  onlineCount: 1,
  createTime: 0,
  ...change,
});

const client = '/admin-api/client/pc';
export const paths = {
  page: `${client}/device/page`,
  update: `${client}/device/update`,
  secret: `${client}/device/new-secret`,
  swap: `${client}/device/swap`,
  events: `${client}/device/get/events`,
  connection: `${client}/device/get/connection`,
  presence: `${client}/device/get/presence`,
  coverage: `${client}/device/get/coverage`,
  diagnostics: `${client}/device/get/diagnostics`,
  silence: `${client}/device/get/silence`,
  calibrations: `${client}/device/calibration/page`,
  calibrate: `${client}/device/calibration/create`,
  undoCalibration: `${client}/device/calibration/undo`,
  scenes: `${client}/group/page`,
  create: `${client}/group/create`,
  rename: `${client}/group/update`,
  remove: `${client}/group/delete`,
};

/**
 * A tenant with three devices in two scenes, one of them closed to new devices, a live stream and a
 * signed-in user.
 */
export function deviceServer(devices?: Device[]) {
  signedIn();
  shellServer();
  const now = Date.now();
  const base = telemetryServer({
    overview: overview({ time: now, deviceCount: 3, unassignedCount: 1, sceneCount: 2 }),
  });
  const state = {
    base,
    devices: devices ?? [
      device({ id: 1, deviceName: 'WS-1', noteName: 'Orchard mast', lastContact: now - 8000 }),
      device({ id: 2, deviceName: 'WS-2', noteName: 'Lower mast', onlineState: 0, offlineTime: now - 3_600_000 }),
      device({
        id: 3,
        deviceName: 'SXT-3',
        noteName: '',
        groupId: 0,
        groupName: '',
        type: 2,
        videoKind: 'hls',
        lastData: [],
      }),
    ],
    scenes: [scene(1, 'North orchard'), scene(2, 'Old nursery', { groupStatus: 2, deviceCount: 0 })],
    connection: {
      deviceName: 'WS-1',
      gateway: false,
      http: 'https://farm.example',
      mqttHost: 'farm.example',
      mqttPort: 1883,
      mqttTlsPort: 0,
      topic: 'v1/devices/me/telemetry',
      secrets: 1,
    } as Schemas['Connection'],
    diagnostics: { received: 10, values: 20, refused: 0, clockAhead: 0, days: [] } as Schemas['Diagnostics'],
    silence: null as Schemas['SilenceCause'] | null,
    presence: [] as Schemas['PresenceChange'][],
    events: [] as Schemas['DeviceEvent'][],
    /** The newest first. */
    calibrations: [] as Schemas['Calibration'][],
    coverage: [] as Schemas['CoverageDay'][],
    /** Answers that replace the usual ones, by path. */
    answers: new Map<string, () => Response | Promise<Response>>(),
    /** The queries of the table, and the bodies of changes. */
    asked: [] as URLSearchParams[],
    sent: [] as { path: string; body: unknown }[],
    live: fakeStreams(),
  };
  const get = (path: string, data: (query: URLSearchParams) => unknown) =>
    onGet(path, async ({ request }) => {
      const query = new URL(request.url).searchParams;
      if (path === paths.page) state.asked.push(query);
      return (await state.answers.get(path)?.()) ?? ok(data(query) as never);
    });
  const change = (on: typeof onPost, path: string, data: (body: never) => unknown) =>
    on(path, async ({ request }) => {
      const text = await request.text();
      const body = text === '' ? Object.fromEntries(new URL(request.url).searchParams) : JSON.parse(text);
      state.sent.push({ path, body });
      return (await state.answers.get(path)?.()) ?? ok(data(body as never) as never);
    });

  get(paths.page, (query) => {
    const text = (query.get('deviceName') ?? '').toLowerCase();
    const [groupId, onlineState] = [query.get('groupId'), query.get('onlineState')];
    const found = state.devices.filter(
      (device) =>
        `${device.noteName} ${device.deviceName} ${device.serial}`.toLowerCase().includes(text) &&
        (groupId === null || device.groupId === Number(groupId)) &&
        (onlineState === null || device.onlineState === Number(onlineState)),
    );
    const [no, size] = [Number(query.get('pageNo')), Number(query.get('pageSize'))];
    return { list: found.slice((no - 1) * size, no * size), total: found.length };
  });
  get(`${client}/device/deviceNames/get`, (query) => {
    const list = state.devices.filter(({ deviceName }) => deviceName === query.get('deviceNames'));
    return { list, total: list.length };
  });
  get(paths.scenes, (query) => {
    const text = (query.get('groupName') ?? '').toLowerCase();
    const found = state.scenes.filter(({ groupName }) => groupName.toLowerCase().includes(text));
    const [no, size] = [Number(query.get('pageNo')), Number(query.get('pageSize'))];
    return { list: found.slice((no - 1) * size, no * size), total: found.length };
  });
  get(`${client}/product/get/simple-list`, () => [
    { id: 1, productName: 'Weather mast', deviceCount: 4 },
    { id: 2, productName: 'Field camera', deviceCount: 1 },
    { id: 3, productName: 'Water meter', deviceCount: 0 },
  ]);
  get(paths.connection, (query) => ({ ...state.connection, deviceName: query.get('deviceName') }));
  // The provider adds all devices unless addServer says otherwise.
  get(`${client}/device/offer`, () => ({ used: 0, most: 0, products: [], claims: false }));
  get(`${client}/device/get/first-reading`, () => ({ state: 'waiting', hints: [] }));
  get(paths.diagnostics, () => state.diagnostics);
  get(paths.events, () => state.events);
  get(paths.silence, () => state.silence);
  get(paths.coverage, () => state.coverage);
  get(paths.presence, (query) => {
    const [no, size] = [Number(query.get('pageNo')), Number(query.get('pageSize'))];
    return { list: state.presence.slice((no - 1) * size, no * size), total: state.presence.length };
  });
  get(paths.calibrations, (query) => {
    const [no, size] = [Number(query.get('pageNo')), Number(query.get('pageSize'))];
    return { list: state.calibrations.slice((no - 1) * size, no * size), total: state.calibrations.length };
  });
  change(onPost, paths.calibrate, () => ({ id: 9 }));
  change(onPut, paths.undoCalibration, ({ id }: Schemas['CalibrationUndo']) => {
    state.calibrations = state.calibrations.map((each) =>
      each.id === id ? { ...each, undoneBy: 'Elif', undoTime: each.fromTime + 60_000 } : each,
    );
    return true;
  });
  get('/admin-api/device/data/all/data-last', (query) => {
    return state.devices.find(({ deviceName }) => deviceName === query.get('deviceName'))?.lastData[0] ?? {};
  });
  change(onPut, paths.update, (body: Partial<Device> & { deviceName: string }) => {
    state.devices = state.devices.map((device) =>
      device.deviceName === body.deviceName ? { ...device, ...body } : device,
    );
    return true;
  });
  change(onPost, paths.secret, () => 'a-brand-new-secret-of-32-letters');
  change(onPost, paths.swap, () => ({ secret: 'a-secret-of-the-next-box-32-letters' }));
  change(onPost, paths.create, ({ groupName, groupStatus }: Schemas['SceneCreate']) => {
    state.scenes = [...state.scenes, scene(9, groupName ?? '', { groupStatus: groupStatus as 1 | 2, deviceCount: 0 })];
    return 9;
  });
  change(onPut, paths.rename, ({ id, groupName }: Schemas['SceneUpdate']) => {
    state.scenes = state.scenes.map((scene) => (scene.id === id ? { ...scene, groupName: groupName ?? '' } : scene));
    return true;
  });
  change(onDelete, paths.remove, ({ id }: { id: string }) => {
    state.scenes = state.scenes.filter((scene) => scene.id !== Number(id));
    return true;
  });
  onGet(`${client}/live`, ({ request }) =>
    state.live.open('', request.headers.get('Last-Event-ID') ?? '', request.signal),
  );
  return state;
}

/** Opens the device page and waits until everything is loaded. */
export async function openDevices(server: ReturnType<typeof deviceServer>, address = '/device') {
  const opened = await openConsole(address);
  await screen.findByRole('heading', { level: 1, name: 'Equipment center' });
  // The stream's fresh start refetches everything once more. An event about an unknown device marks
  // its end, because it comes afterwards.
  await waitFor(() => expect(server.live.streams.length).toBeGreaterThan(0));
  const status = renderHook(() => useLiveStatus());
  server.live.newest()?.write('event: reading\ndata: {"deviceName":"-","time":0,"values":{}}\n\n');
  await waitFor(() => expect(status.result.current.lastEventAt).not.toBeNull());
  status.unmount();
  await allFetched(opened.client);
  return { ...opened, user: userEvent.setup() };
}

/** Waits until nothing is fetched and the last render causes no further fetch. */
async function allFetched(client: QueryClient) {
  do {
    await waitFor(() => expect(client.isFetching()).toBe(0));
    // Queries report their end in the next task; the render that follows may cause further fetches.
    await act(() => new Promise<void>((turn) => setTimeout(turn, 0)));
  } while (client.isFetching() > 0);
}
