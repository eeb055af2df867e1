import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { openConsole } from '@/test/console';
import {
  card,
  cardNames,
  cardsOf,
  dataCentreServer,
  devicePath,
  freshContact,
  grid,
  mast,
  offlineMast,
  openDataCentre,
} from '@/test/dataCentreServer';
import { setWidth } from '@/test/mediaQueries';
import { onGet } from '@/test/server';
import { device, group, noAnswer, weather } from '@/test/telemetryServer';

beforeEach(() => {
  window.history.replaceState(null, '', '/');
});

describe('the data centre', () => {
  it('has a card for each device by scene, cameras first, and each reading with its unit and age', async () => {
    await openDataCentre(dataCentreServer());
    expect(cardNames()).toEqual(['Orchard mast', 'Lower mast', 'Gate camera', 'New probe']);
    const own = card('Orchard mast');
    expect(own.getByText('WS-1 · Weather mast')).toBeVisible();
    expect(own.getByText('Online')).toBeVisible();
    expect(own.getByText('Online')).not.toHaveClass('visually-hidden');
    expect(own.getByText('3.4')).toHaveTextContent(/^3\.4\s°C$/);
    expect(own.getByText('Air temperature')).toBeVisible();
    expect(own.getByRole('listitem')).toHaveTextContent(/^Relative humidity91%\d+ s$/);
    expect(own.getByText(/^Read \d+ s ago/)).toBeVisible();
    expect(screen.getByText('4 devices')).toBeVisible();
  });

  it('says of an offline device that it is offline and how old its readings are', async () => {
    await openDataCentre(dataCentreServer());
    const own = card('Lower mast');
    expect(own.getByText('Offline')).toBeVisible();
    expect(own.getByRole('listitem')).toHaveTextContent('3 h older than usual');
    expect(own.getByText(/^Last read 3 h ago/)).toBeVisible();
  });

  it('has an empty card for a device without readings', async () => {
    await openDataCentre(dataCentreServer());
    expect(card('New probe').getByText('No readings yet')).toBeVisible();
    expect(card('New probe').queryByRole('list')).toBeNull();
  });

  it('makes a camera’s card two cards wide, and as high as its picture of 500 px needs', async () => {
    await openDataCentre(dataCentreServer());
    const [first, second] = within(cardsOf('Gate'))
      .getAllByRole('listitem')
      .filter((item) => item.parentElement === cardsOf('Gate'));
    expect(first).toHaveStyle({ height: '568px' });
    expect(second).toHaveStyle({ height: '368px' });
    expect(first).toHaveAttribute('aria-setsize', '2');
    expect(second).toHaveAttribute('aria-posinset', '2');
  });

  it('shows a camera without a stream as low as a sensor, in its group', async () => {
    const dataCentre = dataCentreServer();
    dataCentre.streams.kind = 'none';
    await openDataCentre(dataCentre);
    expect(cardNames()).toEqual(['Orchard mast', 'Lower mast', 'New probe', 'Gate camera']);
    expect(card('Gate camera').getByText('No stream yet')).toBeVisible();
    expect(screen.getByRole('article', { name: 'Gate camera' }).parentElement).toHaveStyle({ height: '368px' });
    // Two scenes, each with its name and one row of cards.
    expect(grid()).toHaveStyle({ minHeight: `${2 * (44 + 368) + 12}px` });
  });

  it('queries each camera once', async () => {
    const dataCentre = dataCentreServer();
    await openDataCentre(dataCentre);
    expect(await screen.findByTitle('Picture of Gate camera')).toHaveAttribute('src', '/picture');
    expect(dataCentre.asks).toEqual(['CAM-4']);
  });

  it('shows a camera as down if its stream cannot be queried', async () => {
    const dataCentre = dataCentreServer();
    onGet(`${devicePath}/get/video`, noAnswer);
    await openDataCentre(dataCentre);
    expect(await card('Gate camera').findByText('The camera’s address could not be fetched')).toBeVisible();
    expect(cardNames()).toContain('Gate camera');
  });

  it('says why there is nothing, and what to do next', async () => {
    dataCentreServer([group({ id: 0, groupName: '' })]);
    await openConsole('/data');
    expect(await screen.findByRole('heading', { name: 'No devices yet' })).toBeVisible();
    expect(screen.queryByRole('tree')).toBeNull();
  });

  it('keeps its cards if the server does not answer, and says so', async () => {
    const dataCentre = dataCentreServer();
    const { client, user } = await openDataCentre(dataCentre);
    dataCentre.server.failingPaths.set(`${devicePath}/get-group-device-list`, noAnswer);
    await act(() => client.invalidateQueries({ queryKey: ['devices', 'groups'] }));
    expect(await screen.findByText('The server does not answer')).toBeVisible();
    expect(screen.getByText(/^The data shown is from .* Trying again in \d+ s\.$/)).toBeVisible();
    expect(cardNames()).toHaveLength(4);
    dataCentre.server.failingPaths.clear();
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(screen.queryByText('The server does not answer')).toBeNull());
  });

  it('says so if nothing could be fetched at all', async () => {
    const { server } = dataCentreServer();
    server.failingPaths.set(`${devicePath}/get-group-device-list`, noAnswer);
    await openConsole('/data');
    expect(await screen.findByText('The server does not answer')).toBeVisible();
    expect(screen.getByText('The devices could not be fetched')).toBeVisible();
  });
});

describe('live', () => {
  it('shows readings and presence changes at once', async () => {
    const dataCentre = dataCentreServer();
    await openDataCentre(dataCentre);
    const time = Date.now();
    const streamEvent = (name: string, data: object) =>
      dataCentre.live.newest()?.write(`id: 1-${time}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    act(() => streamEvent('reading', { deviceName: 'WS-1', time, values: { airTemperature: 11.2 } }));
    expect(await card('Orchard mast').findByText('11.2')).toBeVisible();
    act(() => streamEvent('presence', { deviceName: 'WS-1', onlineState: 0, time }));
    expect(await card('Orchard mast').findByText('Offline')).toBeVisible();
  });
});

describe('a card', () => {
  it('shows the readings that do not fit below its first ones', async () => {
    const now = Date.now();
    const many = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((name, i) => [
      `p${i}`,
      { value: i, time: now - 1000, unit: 'V', name },
    ]);
    const full = { ...mast, lastData: [{ ...weather(3.4, now), ...Object.fromEntries(many) }] };
    const dataCentre = dataCentreServer([group({ deviceList: [full] })]);
    const { user } = await openDataCentre(dataCentre);
    const own = card('Orchard mast');
    const place = screen.getByRole('article', { name: 'Orchard mast' }).parentElement;
    expect(own.getAllByRole('listitem')).toHaveLength(5);
    await user.click(own.getByRole('button', { name: '4 more readings' }));
    expect(own.getAllByRole('listitem')).toHaveLength(9);
    // The main reading stays, and the card is four rows higher: nothing scrolls in it.
    expect(own.getByText('Air temperature')).toBeVisible();
    expect(place).toHaveStyle({ height: `${368 + 4 * 30}px` });
    await user.click(own.getByRole('button', { name: 'Fewer readings' }));
    expect(own.getAllByRole('listitem')).toHaveLength(5);
    expect(place).toHaveStyle({ height: '368px' });
  });

  it('shows the level of a pending alarm together with the state', async () => {
    await openDataCentre(
      dataCentreServer([
        group({
          deviceList: [
            { ...mast, alarmLevel: 2 },
            { ...offlineMast, alarmLevel: 1 },
          ],
        }),
      ]),
    );
    expect(card('Orchard mast').getByText('Serious')).toBeVisible();
    expect(card('Orchard mast').getByTitle('Online')).toHaveClass('online');
    expect(card('Lower mast').getByText('Important')).toBeVisible();
    expect(card('Lower mast').getByText('Offline')).toBeVisible();
  });

  it('requests the chart of its day for the property that it shows', async () => {
    const dataCentre = dataCentreServer([group({ deviceList: [mast] })]);
    await openDataCentre(dataCentre);
    await waitFor(() => expect(dataCentre.asked('/format-map/time-interval-data').length).toBeGreaterThan(0));
    expect(dataCentre.asked('/format-map/time-interval-data').length).toBeLessThanOrEqual(2);
    const [search] = dataCentre.asked('/format-map/time-interval-data');
    expect(search?.get('yeuSignList')).toBe('airTemperature');
    expect(search?.get('points')).toBe('100');
    expect(Number(search?.get('endTime')) - Number(search?.get('startTime'))).toBe(86_400_000);
  });

  it('requests a product’s model once, however many devices it has', async () => {
    const six = Array.from({ length: 6 }, (_, i) => device({ id: 50 + i, productId: 8, groupId: 1, ...freshContact }));
    const other = device({ id: 60, productId: 9, groupId: 1, ...freshContact });
    const dataCentre = dataCentreServer([group({ deviceList: [...six, other] })]);
    await openDataCentre(dataCentre);
    await waitFor(() => expect(dataCentre.asked('/get/tsl').length).toBeGreaterThanOrEqual(2));
    const asked = dataCentre.asked('/get/tsl').map((search) => search.get('deviceName'));
    const times = (names: string[]) => asked.filter((name) => name && names.includes(name)).length;
    // Requested through any of its devices, and once more when the stream has begun, since events
    // may have been missed until then.
    for (const of of [six, [other]]) {
      const count = times(of.map(({ deviceName }) => deviceName));
      expect([1, 2]).toContain(count);
    }
  });
});

describe('on a phone', () => {
  it('shows the cameras of a scene last, and the list in a drawer', async () => {
    setWidth(390);
    const dataCentre = dataCentreServer();
    await openConsole('/data');
    await screen.findByRole('article', { name: 'Orchard mast' });
    await waitFor(() => expect(dataCentre.live.streams.length).toBeGreaterThan(0));
    expect(screen.queryByRole('tree')).toBeNull();
    expect(cardNames()).toEqual(['Orchard mast', 'Lower mast', 'New probe', 'Gate camera']);
    expect(screen.getByRole('article', { name: 'Orchard mast' }).parentElement).toHaveStyle({ height: '414px' });
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: '4 devices' }));
    const drawer = within(await screen.findByRole('dialog', { name: 'Devices' }));
    await user.click(await drawer.findByRole('treeitem', { name: /Lower mast/ }));
    await user.click(await drawer.findByRole('button', { name: 'Show 1 device' }));
    expect(cardNames()).toEqual(['Lower mast']);
    expect(screen.getByRole('button', { name: '1 device' })).toBeVisible();
  });
});

describe('the languages', () => {
  it.each([
    ['zh-cn', '数据中心', '3.4', '历史'],
    ['tr-tr', 'Veriler', '3,4', 'Geçmiş'],
    ['ru-ru', 'Данные', '3,4', 'История'],
  ] as const)('%s', async (language, title, value, history) => {
    const { useLanguage } = await import('@/lib/i18n/i18n');
    await useLanguage.getState().setLanguage(language);
    dataCentreServer([group({ deviceList: [mast] })]);
    await openConsole('/data');
    expect(await screen.findByRole('heading', { level: 1, name: title })).toBeVisible();
    const own = within(await screen.findByRole('article', { name: 'Orchard mast' }));
    expect(own.getByText(value)).toBeVisible();
    expect(own.getByText(history)).toBeVisible();
  });
});
