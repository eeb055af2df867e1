import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Device } from '@/lib/device/types';
import { useNotices } from '@/lib/notices';
import { frameBackend } from '@/test/backend';
import { openConsole } from '@/test/console';
import { device, farm, group, noAnswer, overview, weather } from '@/test/farm';
import { setWidth } from '@/test/screen';
import { ok, onGet } from '@/test/server';
import { signedIn } from '@/test/session';
import { fakeStreams } from '@/test/stream';

// The history has its own tests.
vi.mock('./history/HistoryDialog', () => ({
  HistoryDialog: ({ device: of, open, onClose }: { device: Device; open: boolean; onClose: () => void }) =>
    open ? (
      <div role="dialog" aria-label={`History of ${of.noteName}`}>
        <button type="button" onClick={onClose}>
          Close the history
        </button>
      </div>
    ) : null,
}));

const now = Date.now();
const fresh = { onlineTime: now - 3_600_000, lastContact: now - 8000, lastData: [weather(3.4, now - 8000)] };
const mast = device({ id: 1, deviceName: 'WS-1', noteName: 'Orchard mast', groupId: 1, ...fresh });
const away = device({
  id: 2,
  deviceName: 'WS-2',
  noteName: 'Lower mast',
  groupId: 1,
  ...fresh,
  onlineState: 0,
  offlineTime: now - 3 * 3_600_000,
  lastData: [weather(7.5, now - 3 * 3_600_000)],
});
const silent = device({ id: 3, deviceName: 'SP-3', noteName: 'New probe', groupId: 2, ...fresh, lastData: [] });
const camera = device({
  id: 4,
  deviceName: 'CAM-4',
  serial: 'SXT-4',
  noteName: 'Gate camera',
  groupId: 2,
  type: 2,
  ...fresh,
  lastData: [],
});
const path = '/admin-api/client/pc/device';

function place(
  groups = [
    group({ id: 0, groupName: '' }),
    group({ deviceList: [mast, away] }),
    group({ id: 2, groupName: 'Gate', deviceList: [silent, camera] }),
  ],
) {
  signedIn();
  frameBackend();
  const server = farm({ groups, overview: overview({ time: Date.now() }) });
  const live = fakeStreams();
  const streams = { kind: 'embed' };
  const asks: string[] = [];
  onGet('/admin-api/client/pc/live', ({ request }) =>
    live.open('', request.headers.get('Last-Event-ID') ?? '', request.signal),
  );
  onGet(`${path}/get/video`, ({ request }) => {
    asks.push(new URL(request.url).searchParams.get('deviceName') ?? '');
    return ok({ kind: streams.kind, url: '/picture' });
  });
  const asked = (call: string) =>
    server.calls.filter(({ pathname }) => pathname.endsWith(call)).map(({ searchParams }) => searchParams);
  return { server, live, asked, streams, asks };
}

async function open(given: ReturnType<typeof place>, address = '/data') {
  const opened = await openConsole(address);
  await screen.findByRole('tree');
  await waitFor(() => expect(given.live.streams.length).toBeGreaterThan(0));
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return { ...opened, user: userEvent.setup() };
}

const names = () => screen.queryAllByRole('article').map((card) => card.getAttribute('aria-label'));
const card = (name: string) => within(screen.getByRole('article', { name }));
const row = (name: RegExp) => screen.getByRole('treeitem', { name });
const grid = () => screen.getByRole('list', { name: 'Readings and cameras' });

/** The window stands so many pixels down the grid. */
function scrollTo(pixels: number) {
  vi.spyOn(grid(), 'getBoundingClientRect').mockReturnValue({ top: -pixels } as DOMRect);
  fireEvent.scroll(window);
}

beforeEach(() => {
  window.history.replaceState(null, '', '/');
});

describe('the data centre', () => {
  it('has a card for each device, cameras first, each reading with its unit and age', async () => {
    await open(place());
    expect(names()).toEqual(['Gate camera', 'Orchard mast', 'Lower mast', 'New probe']);
    const own = card('Orchard mast');
    expect(own.getByText('WS-1 · weather-mast')).toBeVisible();
    expect(own.getByText('Online')).toBeVisible();
    expect(own.getByText('3.4')).toHaveTextContent(/^3\.4\s°C$/);
    expect(own.getByText('Air temperature')).toBeVisible();
    expect(own.getByRole('listitem')).toHaveTextContent(/^Relative humidity91\s%\d+ s$/);
    expect(own.getByText(/^Read \d+ s ago/)).toBeVisible();
    expect(screen.getByText('4 devices')).toBeVisible();
  });

  it('says of a silent device that it is offline and how old its readings are', async () => {
    await open(place());
    const own = card('Lower mast');
    expect(own.getByText('Offline')).toBeVisible();
    expect(own.getByRole('listitem')).toHaveTextContent('3 h older than usual');
    expect(own.getByText(/^Last read 3 h ago/)).toBeVisible();
  });

  it('has an empty card for a device without readings', async () => {
    await open(place());
    expect(card('New probe').getByText('No readings yet')).toBeVisible();
    expect(card('New probe').queryByRole('list')).toBeNull();
  });

  it('gives each camera two cards’ height and width', async () => {
    await open(place());
    const [first, second] = within(grid())
      .getAllByRole('listitem')
      .filter((item) => item.parentElement === grid());
    expect(first).toHaveStyle({ height: '568px' });
    expect(second).toHaveStyle({ height: '276px' });
    expect(first).toHaveAttribute('aria-setsize', '4');
    expect(second).toHaveAttribute('aria-posinset', '2');
  });

  it('shows a camera without a stream as low as a sensor, in its group', async () => {
    const given = place();
    given.streams.kind = 'none';
    await open(given);
    expect(names()).toEqual(['Orchard mast', 'Lower mast', 'New probe', 'Gate camera']);
    expect(card('Gate camera').getByText('No stream yet')).toBeVisible();
    expect(screen.getByRole('article', { name: 'Gate camera' }).parentElement).toHaveStyle({ height: '276px' });
    expect(grid()).toHaveStyle({ height: `${2 * 292 - 16}px` });
  });

  it('asks once what a camera shows, however it is told apart', async () => {
    const given = place();
    await open(given);
    expect(await screen.findByTitle('Picture of Gate camera')).toHaveAttribute('src', '/picture');
    expect(given.asks).toEqual(['CAM-4']);
  });

  it('draws a camera whose stream cannot be asked for as one that is down', async () => {
    const given = place();
    onGet(`${path}/get/video`, noAnswer);
    await open(given);
    expect(await card('Gate camera').findByText('The camera’s address could not be fetched')).toBeVisible();
    expect(names()[0]).toBe('Gate camera');
  });

  it('says why there is nothing, and what comes', async () => {
    place([group({ id: 0, groupName: '' })]);
    await openConsole('/data');
    expect(await screen.findByRole('heading', { name: 'No devices yet' })).toBeVisible();
    expect(screen.queryByRole('tree')).toBeNull();
  });

  it('keeps its cards when the server does not answer, and says so', async () => {
    const given = place();
    const { client, user } = await open(given);
    given.server.broken.set(`${path}/get-group-device-list`, noAnswer);
    await act(() => client.invalidateQueries({ queryKey: ['devices', 'groups'] }));
    expect(await screen.findByText('The server does not answer')).toBeVisible();
    expect(screen.getByText(/^You see the readings of .* Trying again in \d+ s\.$/)).toBeVisible();
    expect(names()).toHaveLength(4);
    given.server.broken.clear();
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(screen.queryByText('The server does not answer')).toBeNull());
  });

  it('says so when nothing could be had at all', async () => {
    const { server } = place();
    server.broken.set(`${path}/get-group-device-list`, noAnswer);
    await openConsole('/data');
    expect(await screen.findByText('The server does not answer')).toBeVisible();
    expect(screen.getByText('The devices could not be fetched')).toBeVisible();
  });
});

describe('ticking', () => {
  it('one device shows it alone, a second one with it, and all again', async () => {
    const { user, router } = await open(place());
    await user.click(row(/Orchard mast/));
    await waitFor(() => expect(names()).toEqual(['Orchard mast']));
    expect(router.state.location.search).toEqual({ devices: 'WS-1' });
    expect(row(/Orchard mast/)).toHaveAttribute('aria-checked', 'true');
    expect(row(/North orchard/)).toHaveAttribute('aria-checked', 'mixed');
    expect(screen.getByText('1 of 4 devices shown')).toBeVisible();
    await user.click(row(/Gate camera/));
    await waitFor(() => expect(names()).toEqual(['Gate camera', 'Orchard mast']));
    await user.click(screen.getByRole('button', { name: 'All devices' }));
    await waitFor(() => expect(names()).toHaveLength(4));
    expect(router.state.location.search).toEqual({});
    expect(screen.getByRole('button', { name: 'All devices' })).toHaveAttribute('aria-pressed', 'true');
  });

  it('a whole scene by keyboard, and leaves one of it out', async () => {
    const { user, router } = await open(place());
    act(() => screen.getByRole('tree').focus());
    await user.keyboard('{ArrowDown} ');
    await waitFor(() => expect(names()).toEqual(['Orchard mast', 'Lower mast']));
    expect(row(/North orchard/)).toHaveAttribute('aria-checked', 'true');
    await user.keyboard('{ArrowDown} ');
    await waitFor(() => expect(names()).toEqual(['Lower mast']));
    expect(router.state.location.search).toEqual({ scenes: '1', except: 'WS-1' });
    // Enter opens and closes a scene: it does not tick it.
    await user.keyboard('{ArrowUp}{Enter}');
    expect(row(/North orchard/)).toHaveAttribute('aria-expanded', 'false');
    expect(router.state.location.search).toEqual({ scenes: '1', except: 'WS-1' });
  });

  it('by its box ticks a scene and leaves it as open as it was', async () => {
    const { user } = await open(place());
    const box = row(/North orchard/).querySelector('[aria-hidden="true"] + [aria-hidden="true"]');
    await user.click(box as Element);
    await waitFor(() => expect(row(/North orchard/)).toHaveAttribute('aria-checked', 'true'));
    expect(row(/North orchard/)).toHaveAttribute('aria-expanded', 'true');
  });

  it('stands in the address', async () => {
    await open(place(), '/data?devices=WS-2');
    expect(names()).toEqual(['Lower mast']);
  });

  it('what is gone says so, and shows all again', async () => {
    const { user } = await open(place(), '/data?devices=GONE');
    expect(await screen.findByRole('heading', { name: 'No device to show' })).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Show all devices' }));
    await waitFor(() => expect(names()).toHaveLength(4));
  });
});

describe('the list', () => {
  it('is searched without hiding the cards', async () => {
    const given = place();
    const { user } = await open(given);
    await user.type(screen.getByRole('textbox', { name: 'Search devices' }), 'lower');
    await waitFor(() => expect(screen.getAllByRole('treeitem')).toHaveLength(1));
    expect(given.asked('/page').at(-1)?.get('deviceName')).toBe('lower');
    expect(names()).toHaveLength(4);
    await user.click(row(/Lower mast/));
    await waitFor(() => expect(names()).toEqual(['Lower mast']));
    await user.keyboard('{Escape}');
  });

  it('and the cards show one state alone', async () => {
    const given = place();
    given.server.others = [];
    const { user, router } = await open(given);
    onGet(`${path}/page`, ({ request }) => {
      const search = new URL(request.url).searchParams;
      given.server.calls.push(new URL(request.url));
      const list = [mast, away, silent, camera].filter(
        ({ onlineState, groupId, serial }) =>
          (!search.has('onlineState') || String(onlineState) === search.get('onlineState')) &&
          (!search.has('groupId') || String(groupId) === search.get('groupId')) &&
          serial.includes(search.get('deviceName') ?? ''),
      );
      return ok({ list, total: list.length });
    });
    await user.click(screen.getByRole('radio', { name: 'Offline' }));
    await waitFor(() => expect(names()).toEqual(['Lower mast']));
    expect(screen.getAllByRole('treeitem')).toHaveLength(1);
    expect(router.state.location.search).toEqual({ state: 'offline' });
    expect(screen.getByText('1 of 4 devices shown')).toBeVisible();
    await user.click(screen.getByRole('radio', { name: 'Online' }));
    await waitFor(() => expect(names()).toEqual(['Gate camera', 'Orchard mast', 'New probe']));
  });
});

describe('live', () => {
  it('a reading shows at once, and so does who comes and goes', async () => {
    const given = place();
    await open(given);
    const time = Date.now();
    const tell = (name: string, data: object) =>
      given.live.newest()?.write(`id: 1-${time}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    act(() => tell('reading', { deviceName: 'WS-1', time, values: { airTemperature: 11.2 } }));
    expect(await card('Orchard mast').findByText('11.2')).toBeVisible();
    act(() => tell('presence', { deviceName: 'WS-1', onlineState: 0, time }));
    expect(await card('Orchard mast').findByText('Offline')).toBeVisible();
  });
});

describe('a card', () => {
  it('with more readings than it has room for shows the others in its own place', async () => {
    const many = ['A', 'B', 'C', 'D'].map((name, i) => [`p${i}`, { value: i, time: now - 1000, unit: 'V', name }]);
    const full = { ...mast, lastData: [{ ...weather(3.4, now), ...Object.fromEntries(many) }] };
    const given = place([group({ deviceList: [full] })]);
    const { user } = await open(given);
    const own = card('Orchard mast');
    expect(own.getAllByRole('listitem')).toHaveLength(2);
    await user.click(own.getByRole('button', { name: '3 more readings' }));
    expect(own.getAllByRole('listitem').map((item) => item.textContent)).toHaveLength(6);
    expect(own.getByRole('list', { name: 'Readings' })).toHaveAttribute('tabindex', '0');
    await user.click(own.getByRole('button', { name: 'Fewer readings' }));
    expect(own.getAllByRole('listitem')).toHaveLength(2);
  });

  it('shows the level of a pending alarm, and what else is to be known', async () => {
    await open(
      place([
        group({
          deviceList: [
            { ...mast, alarmLevel: 2 },
            { ...away, alarmLevel: 1 },
          ],
        }),
      ]),
    );
    expect(card('Orchard mast').getByText('Serious')).toBeVisible();
    // Said to a screen reader only: whoever sees it sees no other state.
    expect(card('Orchard mast').getByText('Online')).toHaveClass('visually-hidden');
    expect(card('Lower mast').getByText('Important')).toBeVisible();
    expect(card('Lower mast').getByText('Offline')).toBeVisible();
  });

  it('asks for the line of its day, of the property it shows', async () => {
    const given = place([group({ deviceList: [mast] })]);
    await open(given);
    await waitFor(() => expect(given.asked('/format-map/time-interval-data').length).toBeGreaterThan(0));
    expect(given.asked('/format-map/time-interval-data').length).toBeLessThanOrEqual(2);
    const [search] = given.asked('/format-map/time-interval-data');
    expect(search?.get('yeuSignList')).toBe('airTemperature');
    expect(search?.get('points')).toBe('100');
    expect(Number(search?.get('endTime')) - Number(search?.get('startTime'))).toBe(86_400_000);
  });

  it('asks for the model of a product once, however many devices it has', async () => {
    const six = Array.from({ length: 6 }, (_, i) => device({ id: 50 + i, productId: 8, groupId: 1, ...fresh }));
    const other = device({ id: 60, productId: 9, groupId: 1, ...fresh });
    const given = place([group({ deviceList: [...six, other] })]);
    await open(given);
    await waitFor(() => expect(given.asked('/get/tsl').length).toBeGreaterThanOrEqual(2));
    const asked = given.asked('/get/tsl').map((search) => search.get('deviceName'));
    const times = (names: string[]) => asked.filter((name) => name && names.includes(name)).length;
    // Through any of them. Once more when the stream has begun: until then something may have been missed.
    for (const of of [six, [other]]) {
      const count = times(of.map(({ deviceName }) => deviceName));
      expect([1, 2]).toContain(count);
    }
  });
});

describe('a thousand devices', () => {
  const many = Array.from({ length: 1000 }, (_, i) =>
    device({ id: 1000 + i, deviceName: `D-${i}`, noteName: `Device ${i}`, groupId: 1, ...fresh }),
  );
  const thousand = () => {
    const given = place([
      group({ id: 0, groupName: '' }),
      group({ deviceCount: 1000, deviceList: many.slice(0, 100) }),
    ]);
    given.server.others = many.slice(100);
    return given;
  };
  const pages = (given: ReturnType<typeof place>) =>
    given
      .asked('/page')
      .filter((search) => search.has('groupId'))
      .map((search) => Number(search.get('pageNo')));

  it('draw what is in view and fetch only its pages', async () => {
    const given = thousand();
    await open(given);
    expect(screen.getByText('1,000 devices')).toBeVisible();
    expect(names().length).toBeLessThan(20);
    expect(pages(given)).toEqual([]);
    // 334 rows of three.
    expect(grid()).toHaveStyle({ height: `${334 * 292 - 16}px` });
    scrollTo(200 * 292);
    await screen.findByRole('article', { name: 'Device 600' });
    expect(names().length).toBeLessThan(20);
    expect(new Set(pages(given))).toEqual(new Set([6, 7]));
    expect(given.asked('/format-map/time-interval-data').length).toBeLessThan(40);
  });

  it('keep their room while they are on their way', async () => {
    const given = thousand();
    await open(given);
    onGet(`${path}/page`, () => new Promise<never>(() => undefined));
    scrollTo(200 * 292);
    await waitFor(() => expect(names()).toEqual([]));
    expect(grid().children.length).toBeGreaterThan(9);
    expect(grid()).toHaveStyle({ height: `${334 * 292 - 16}px` });
  });

  it('keep the focus where it is when it is scrolled out of sight', async () => {
    const { user } = await open(thousand());
    const link = screen.getByRole('link', { name: 'History of Device 1' });
    act(() => link.focus());
    scrollTo(200 * 292);
    await screen.findByRole('article', { name: 'Device 600' });
    expect(screen.getByRole('link', { name: 'History of Device 1' })).toHaveFocus();
    await user.tab();
    await waitFor(() => expect(screen.queryByRole('article', { name: 'Device 1' })).toBeNull());
  });
});

describe('sixty cameras', () => {
  const sixty = Array.from({ length: 60 }, (_, i) =>
    device({
      id: 3000 + i,
      deviceName: `CAM-${i}`,
      serial: `SXT-${i}`,
      noteName: `Camera ${i}`,
      type: 2,
      lastData: [],
    }),
  );

  it('are asked what they show as one comes near them', async () => {
    const given = place([group({ deviceList: sixty })]);
    onGet(`${path}/get/video`, ({ request }) => {
      const name = new URL(request.url).searchParams.get('deviceName') ?? '';
      given.asks.push(name);
      return ok({ kind: name === 'CAM-55' ? 'none' : 'embed', url: '/picture' });
    });
    await open(given);
    await waitFor(() => expect(given.asks.length).toBeGreaterThanOrEqual(24));
    expect(given.asks.length).toBeLessThan(32);
    expect(given.asks).not.toContain('CAM-55');
    // Bands of two rows, a camera each.
    expect(grid()).toHaveStyle({ height: `${60 * 2 * 292 - 16}px` });
    scrollTo(40 * 2 * 292);
    await waitFor(() => expect(grid()).toHaveStyle({ height: `${59 * 2 * 292 - 16}px` }));
    expect(await screen.findByRole('article', { name: 'Camera 40' })).toBeVisible();
  });
});

describe('the history', () => {
  it('opens from a card, stands in the address and closes', async () => {
    const { user, router } = await open(place(), '/data?scenes=1');
    await user.click(screen.getByRole('link', { name: 'History of Orchard mast' }));
    const dialog = await screen.findByRole('dialog', { name: 'History of Orchard mast' });
    expect(router.state.location.search).toEqual({ scenes: '1', device: 'WS-1', history: 1 });
    await user.click(within(dialog).getByRole('button', { name: 'Close the history' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(router.state.location.search).toEqual({ scenes: '1' });
  });

  it('opens from the address alone', async () => {
    await open(place(), '/data?device=WS-2&history=1');
    expect(await screen.findByRole('dialog', { name: 'History of Lower mast' })).toBeVisible();
  });

  it('of a device that is not here is told of, not opened', async () => {
    const { router } = await open(place(), '/data?device=GONE&history=1');
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(useNotices.getState().toasts).toMatchObject([{ tone: 'warning', title: 'Not in this farm' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('on a phone', () => {
  it('cameras come last, and the list is a drawer', async () => {
    setWidth(390);
    const given = place();
    await openConsole('/data');
    await screen.findByRole('article', { name: 'Orchard mast' });
    await waitFor(() => expect(given.live.streams.length).toBeGreaterThan(0));
    expect(screen.queryByRole('tree')).toBeNull();
    const items = within(grid())
      .getAllByRole('listitem')
      .filter((item) => item.parentElement === grid());
    expect(items[0]).toHaveStyle({ height: '312px' });
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: '4 devices' }));
    const drawer = within(await screen.findByRole('dialog', { name: 'Devices' }));
    await user.click(await drawer.findByRole('treeitem', { name: /Lower mast/ }));
    await user.click(await drawer.findByRole('button', { name: 'Show 1 device' }));
    expect(names()).toEqual(['Lower mast']);
    expect(screen.getByRole('button', { name: '1 device' })).toBeVisible();
  });
});

describe('the languages', () => {
  it.each([
    ['zh-cn', '数据中心', '3.4', '历史'],
    ['tr-tr', 'Veriler', '3,4', 'Geçmiş'],
    ['ru-ru', 'Данные', '3,4', 'История'],
  ] as const)('%s', async (language, title, value, history) => {
    const { useLanguage } = await import('@/lib/i18n');
    await useLanguage.getState().setLanguage(language);
    place([group({ deviceList: [mast] })]);
    await openConsole('/data');
    expect(await screen.findByRole('heading', { level: 1, name: title })).toBeVisible();
    const own = within(await screen.findByRole('article', { name: 'Orchard mast' }));
    expect(own.getByText(value)).toBeVisible();
    expect(own.getByText(history)).toBeVisible();
  });
});
