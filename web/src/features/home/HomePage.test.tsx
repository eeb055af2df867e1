import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useLanguage } from '@/lib/i18n';
import { frameBackend } from '@/test/backend';
import { openConsole } from '@/test/console';
import { device, type Farm, farm, group, noAnswer, overview, weather } from '@/test/farm';
import { setWidth } from '@/test/screen';
import { onGet } from '@/test/server';
import { signedIn } from '@/test/session';
import { fakeStreams } from '@/test/stream';
import type { MapContent } from './map/useMapContent';

// Leaflet needs a browser's layout; the browser tests have one. Here the map is what it is given.
vi.mock('./map/DeviceMap', () => ({
  DeviceMap: ({ data, selected, onSelect }: MapContent) => (
    <ul aria-label="marks">
      {data?.markers.map(({ deviceName, onlineState }) => (
        <li key={deviceName}>
          <button type="button" aria-pressed={deviceName === selected} onClick={() => onSelect(deviceName)}>
            {`mark ${deviceName} ${onlineState}`}
          </button>
        </li>
      ))}
    </ul>
  ),
}));

let server: Farm;
let live: ReturnType<typeof fakeStreams>;

const strip = () => screen.getByRole('region', { name: 'Overview' });
const statistic = (name: string) => within(strip()).getByText(name).closest('dl') as HTMLElement;
const panel = (name: string) => screen.getByRole('region', { name });
const tell = (name: string, data: object) =>
  act(() => live.newest()?.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
const asked = (path: string) => server.calls.filter(({ pathname }) => pathname.endsWith(path)).length;

beforeEach(() => {
  signedIn();
  frameBackend();
  const now = Date.now();
  const known = { onlineTime: now - 3_600_000, lastContact: now - 8000, lastData: [weather(3.4, now - 8000)] };
  const orchard = device({ id: 1, deviceName: 'WS-1', noteName: 'Orchard mast', ...known });
  const lower = device({
    id: 2,
    deviceName: 'WS-2',
    noteName: 'Lower mast',
    ...known,
    onlineState: 0,
    offlineTime: now - 1000,
  });
  const marker = { noteName: '', groupId: 1, longitude: 27.3, latitude: 37.8 };
  server = farm({
    overview: overview({ time: Date.now(), deviceCount: 2, onlineCount: 1, offlineCount: 1, offlineTodayCount: 1 }),
    groups: [group({ id: 0, groupName: '' }), group({ deviceList: [orchard, lower] })],
    map: {
      markers: [
        { ...marker, deviceName: 'WS-1', onlineState: 1 },
        { ...marker, deviceName: 'WS-2', onlineState: 0 },
      ],
      clusters: [],
      total: 2,
      unplaced: 0,
    },
  });
  live = fakeStreams();
  onGet('/admin-api/client/pc/live', ({ request }) =>
    live.open('', request.headers.get('Last-Event-ID') ?? '', request.signal),
  );
});

afterEach(() => vi.restoreAllMocks());

async function open(address = '/dashboard-default') {
  const opened = await openConsole(address);
  await screen.findByRole('tree');
  // The stream's fresh start has had everything fetched once more.
  await waitFor(() => expect(live.streams.length).toBeGreaterThan(0));
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return { ...opened, user: userEvent.setup() };
}

describe('the home page', () => {
  it('tells in a sentence and four statistics how the farm is', async () => {
    server.overview = overview({ time: Date.now(), lastAlarmTime: new Date().setHours(5, 52, 0, 0) });
    await open();
    expect(screen.getByText('231 of 248 devices report. 2 alarms need a look.')).toBeVisible();
    expect(statistic('Total devices')).toHaveTextContent('248in 5 scenes and 1 default');
    expect(statistic('Online devices')).toHaveTextContent(/23193\s%as of (now|\d s ago)/);
    expect(statistic('Alarms today')).toHaveTextContent('62 pending, last at 05:52');
    expect(statistic('Offline devices')).toHaveTextContent('173 since midnight');
  });

  it('says none where there is none', async () => {
    server.overview = overview({
      unassignedCount: 0,
      sceneCount: 1,
      pendingAlarmCount: 0,
      todayAlarmCount: 0,
      offlineTodayCount: 0,
    });
    await open();
    expect(screen.getByText('231 of 248 devices report. No alarm needs a look.')).toBeVisible();
    expect(statistic('Total devices')).toHaveTextContent('248in 1 scene');
    expect(statistic('Alarms today')).toHaveTextContent('0none pending');
    expect(statistic('Offline devices')).toHaveTextContent('17none since midnight');
  });

  it.each([
    ['zh-cn', '40台设备中37台在线。2条告警待处理。', '分布于2个场景，21台未分组', '2条待处理', '今日新增离线21台'],
    [
      'tr-tr',
      '40 cihazdan 37 tanesi veri gönderiyor. 2 alarm ilgi bekliyor.',
      '2 sahada, 21 cihaz sahasız',
      '2 açık',
      'gece yarısından beri 21',
    ],
    [
      'ru-ru',
      'На связи 37 из 40 устройств. 2 тревоги требуют внимания.',
      'на 2 участках, 21 без участка',
      'активных: 2',
      'с полуночи: 21',
    ],
  ] as const)('counts as people do in %s', async (language, sentence, scenes, pending, midnight) => {
    server.overview = overview({
      deviceCount: 40,
      onlineCount: 37,
      sceneCount: 2,
      unassignedCount: 21,
      offlineTodayCount: 21,
    });
    await open();
    await act(() => useLanguage.getState().setLanguage(language));
    expect(await screen.findByText(sentence)).toBeVisible();
    for (const words of [scenes, pending, midnight]) expect(await screen.findByText(words)).toBeVisible();
  });

  it('selects the first device, and moves list, map, panels and address together', async () => {
    const { user, router } = await open();
    expect(screen.getByRole('treeitem', { name: /Orchard mast/ })).toHaveAttribute('aria-selected', 'true');
    expect(await screen.findByRole('button', { name: /mark WS-1/ })).toHaveAttribute('aria-pressed', 'true');
    expect(panel('Orchard mast')).toBeVisible();

    await user.click(screen.getByRole('button', { name: /mark WS-2/ }));
    expect(await screen.findByRole('heading', { name: 'Lower mast' })).toBeVisible();
    expect(screen.getByRole('treeitem', { name: /Lower mast/ })).toHaveAttribute('aria-selected', 'true');
    expect(router.state.location.href).toBe('/dashboard-default?device=WS-2');

    await user.click(screen.getByRole('treeitem', { name: /Orchard mast/ }));
    expect(await screen.findByRole('heading', { name: 'Orchard mast' })).toBeVisible();
    expect(screen.getByRole('button', { name: /mark WS-1/ })).toHaveAttribute('aria-pressed', 'true');
  });

  it('opens at the device that the address names, also beyond the first hundred', async () => {
    server.others = [device({ id: 300, deviceName: '300', noteName: 'Far mast', groupId: 1 })];
    const { groups } = server;
    server.groups = groups.map((one) => (one.id === 1 ? { ...one, deviceCount: 300 } : one));
    await open('/dashboard-default?device=300');
    expect(await screen.findByRole('heading', { name: 'Far mast' })).toBeVisible();
    expect(screen.getByRole('treeitem', { name: /Far mast/ })).toHaveAttribute('aria-selected', 'true');
  });

  it('says when the address names a device that is not of this farm', async () => {
    await open('/dashboard-default?device=NOPE');
    expect(await screen.findByText('Not in this farm')).toBeVisible();
  });

  it('without a device names what happens next, and has no empty panels', async () => {
    server.groups = [group({ id: 0, groupName: '' })];
    server.overview = overview({ deviceCount: 0, onlineCount: 0, offlineCount: 0 });
    server.map = { markers: [], clusters: [], total: 0, unplaced: 0 };
    await openConsole('/dashboard-default');
    expect(await screen.findByText('Devices appear here as soon as your provider has added them.')).toBeVisible();
    expect(screen.queryByRole('region', { name: 'Readings' })).toBeNull();
    expect(statistic('Online devices')).not.toHaveTextContent('%');
  });

  it('brings the panels into view on a phone, where they stand below the list', async () => {
    setWidth(390);
    const scroll = vi.fn();
    Element.prototype.scrollIntoView = scroll;
    const { user } = await open();
    expect(scroll).not.toHaveBeenCalled();
    await user.click(screen.getByRole('treeitem', { name: /Lower mast/ }));
    expect(scroll).toHaveBeenCalledTimes(1);
  });
});

describe('live', () => {
  it('a reading changes list and panel without a call', async () => {
    await open();
    await screen.findByText('Relative humidity');
    const before = server.calls.length;
    tell('reading', { deviceName: 'WS-1', time: Date.now(), values: { airTemperature: 4.7, airHumidity: 88 } });
    const row = screen.getByRole('treeitem', { name: /Orchard mast/ });
    await waitFor(() => expect(row).toHaveTextContent('4.7'));
    expect(within(panel('Readings')).getByText('4.7')).toBeVisible();
    expect(within(panel('Readings')).getByText('88')).toBeVisible();
    expect(server.calls).toHaveLength(before);
  });

  it('a device that goes moves the counts, its group, its row and its mark at once', async () => {
    await open();
    await screen.findByRole('button', { name: 'mark WS-1 1' });
    tell('presence', { deviceName: 'WS-1', onlineState: 0, time: Date.now() + 5 });
    await waitFor(() => expect(statistic('Online devices')).toHaveTextContent(/^Online devices00/));
    expect(statistic('Offline devices')).toHaveTextContent('22 since midnight');
    expect(screen.getByRole('treeitem', { name: /North orchard 0 of 2 online/ })).toBeInTheDocument();
    expect(screen.getByRole('treeitem', { name: /Offline Orchard mast/ })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'mark WS-1 0' })).toBeVisible();
    expect(within(panel('Orchard mast')).getByText('Offline')).toBeVisible();
  });

  it('a notice shows the alarm', async () => {
    await open();
    const [none, orchard] = server.groups;
    if (!none || !orchard) throw new Error('the farm has two groups');
    server.groups = [
      none,
      { ...orchard, deviceList: orchard.deviceList.map((one) => ({ ...one, alarmLevel: 2 as const })) },
    ];
    server.overview = { ...server.overview, todayAlarmCount: 7, pendingAlarmCount: 3 };
    tell('notice', { id: 1 });
    expect(await within(screen.getByRole('treeitem', { name: /Orchard mast/ })).findByText('Serious')).toBeVisible();
    expect(statistic('Alarms today')).toHaveTextContent('73 pending');
  });

  it('after a gap everything is fetched anew', async () => {
    await open();
    const before = asked('get-group-device-list');
    const [none, orchard] = server.groups;
    if (!none || !orchard?.deviceList[0]) throw new Error('the farm has two groups');
    const changed = { ...orchard.deviceList[0], noteName: 'Renamed mast', lastData: [weather(9.9, Date.now())] };
    server.groups = [none, { ...orchard, deviceList: [changed, ...orchard.deviceList.slice(1)] }];
    tell('reset', {});
    expect(await screen.findByRole('treeitem', { name: /Renamed mast/ })).toHaveTextContent('9.9');
    expect(asked('get-group-device-list')).toBe(before + 1);
  });
});

describe('when the server does not answer', () => {
  const problem = async () =>
    (await screen.findByText('The server does not answer')).closest('[role="alert"]') as HTMLElement;

  it('what was there stays, with its age and a way to try again', async () => {
    const { client, user } = await open();
    server.broken.set('/admin-api/client/pc/device/get-group-device-list', noAnswer);
    await act(() => client.invalidateQueries({ queryKey: ['home', 'groups'] }));
    const note = await problem();
    expect(note).toHaveTextContent(/You see the readings of \d\d:\d\d, (now|\d+ s ago)\. Trying again in \d+ s\./);
    expect(screen.getByRole('treeitem', { name: /Orchard mast/ })).toBeInTheDocument();
    server.broken.clear();
    await user.click(within(note).getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(screen.queryByText('The server does not answer')).toBeNull());
  });

  it('from the beginning, it says so where nothing can be shown', async () => {
    for (const path of ['home/overview-statistics', 'device/get-group-device-list', 'device/map']) {
      server.broken.set(`/admin-api/client/pc/${path}`, noAnswer);
    }
    await openConsole('/dashboard-default');
    expect(await screen.findByText('The devices could not be fetched')).toBeVisible();
    expect(statistic('Total devices')).toHaveTextContent('–');
    expect(await problem()).toHaveTextContent(/^The server does not answerTrying again in \d+ s\./);
  });
});
