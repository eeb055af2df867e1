import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ComponentProps } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deviceKeys } from '@/lib/device/queries';
import type { Device, Latest } from '@/lib/device/types';
import { useLanguage } from '@/lib/i18n/i18n';
import { renderWithProviders, testClient } from '@/test/renderWithProviders';
import { signedIn } from '@/test/session';
import {
  device,
  dewPoint,
  group,
  model,
  noAnswer,
  noon,
  type TelemetryServer,
  telemetryServer,
  weather,
} from '@/test/telemetryServer';
import { DevicePanel } from './DevicePanel';
import { MissingDevice } from './MissingDevice';
import { ReadingsPanel } from './ReadingsPanel';

// The linked page has tests of its own.
vi.mock('@tanstack/react-router', () => ({
  Link: ({ to, search, ...rest }: { to: string; search: Record<string, string> } & ComponentProps<'a'>) => (
    <a href={`${to}?${new URLSearchParams(search)}`} {...rest} />
  ),
}));

const hour = 3_600_000;
let server: TelemetryServer;

beforeEach(() => {
  vi.useFakeTimers({ now: noon, toFake: ['Date', 'setInterval', 'clearInterval'] });
  signedIn();
  server = telemetryServer();
});

afterEach(() => vi.useRealTimers());

const fact = (name: string) => screen.getByText(name).nextElementSibling;
const row = (name: string) => screen.getByText(name).closest('li') as HTMLElement;

describe('the device panel', () => {
  it('shows the device’s names, scene and state', () => {
    renderWithProviders(
      <DevicePanel
        device={device({
          noteName: 'Orchard mast',
          deviceName: 'WS-0417',
          latitude: 37.8571,
          longitude: 27.3412,
          onlineTime: noon - hour,
        })}
      />,
    );
    expect(screen.getByRole('heading', { name: 'Orchard mast' })).toBeVisible();
    expect(screen.getByText('Online')).toBeVisible();
    expect(fact('Model')).toHaveTextContent('Weather mast');
    expect(fact('Device name')).toHaveTextContent('WS-0417');
    expect(fact('Scene')).toHaveTextContent('North orchard');
    expect(fact('Position')).toHaveTextContent('37.8571° N, 27.3412° E');
    expect(fact('State')).toHaveTextContent('Online since 11:00');
    expect(fact('Last contact')).toHaveTextContent('8 s ago');
  });

  it('names missing data', () => {
    renderWithProviders(
      <DevicePanel
        device={device({ groupId: 0, groupName: '', onlineState: 0, onlineTime: undefined, lastContact: undefined })}
      />,
    );
    expect(fact('Scene')).toHaveTextContent('In no scene');
    expect(fact('Position')).toHaveTextContent('no position');
    expect(fact('State')).toHaveTextContent('No contact yet');
    expect(fact('Last contact')).toHaveTextContent('–');
  });

  it('accepts a position at latitude and longitude 0', () => {
    renderWithProviders(<DevicePanel device={device({ latitude: 0, longitude: 0 })} />);
    expect(fact('Position')).toHaveTextContent('0.0000° N, 0.0000° E');
  });

  it('shows a pending alarm beside the state, in words', () => {
    renderWithProviders(
      <DevicePanel
        device={device({
          alarmLevel: 2,
          onlineState: 0,
          lastContact: noon - 30 * hour,
          offlineTime: noon - 29.5 * hour,
          offlineAfter: hour / 2,
        })}
      />,
    );
    expect(screen.getByText('Serious')).toBeVisible();
    expect(screen.getByText('Offline')).toBeVisible();
    expect(fact('State')).toHaveTextContent('Offline since Nov 20, 06:00');
    expect(fact('Last contact')).toHaveTextContent('yesterday');
  });

  it('shows placeholders while the device is loading', () => {
    renderWithProviders(<DevicePanel device={undefined} />);
    expect(screen.getByRole('status')).toHaveTextContent('Loading');
  });

  it('says that the tenant has no such device', () => {
    renderWithProviders(<MissingDevice deviceName="NOPE" />);
    expect(screen.getByRole('heading', { name: 'NOPE' })).toBeVisible();
    expect(screen.getByText('Not in this farm')).toBeVisible();
  });
});

describe('the readings', () => {
  const series = [
    { time: noon - 7 * hour, value: 4 },
    { time: noon - 6 * hour - 20 * 60_000, value: 2.1 },
    { time: noon - 8000, value: 3.4 },
  ];

  function draw(one: Device) {
    server.groups = [group({ deviceList: [one] })];
    return renderWithProviders(<ReadingsPanel device={one} />);
  }

  it('show the main one large with its day, and the others in rows', async () => {
    server.series = { airTemperature: series };
    draw(device({ deviceName: 'WS-1' }));
    expect(screen.getByText('3.4')).toBeVisible();
    expect(screen.getByText('Air temperature')).toBeVisible();
    expect(screen.getByText('8 s ago')).toBeVisible();
    expect(await screen.findByText('Low 2.1 at 05:40')).toBeVisible();
    expect(screen.getByText('last 24 h')).toBeVisible();
    expect(within(row('Relative humidity')).getByText('91')).toBeVisible();
    expect(within(row('Relative humidity')).getByText('8 s')).toBeVisible();
    const asked = server.calls.find(({ pathname }) => pathname.endsWith('time-interval-data'))?.searchParams;
    expect(Object.fromEntries(asked ?? [])).toMatchObject({
      deviceName: 'WS-1',
      yeuSignList: 'airTemperature',
      points: '200',
      startTime: String(noon - 24 * hour),
      endTime: String(noon),
    });
  });

  it('link to the device’s history once there are some', () => {
    draw(device({ deviceName: 'WS-1', noteName: 'Orchard mast' }));
    expect(screen.getByRole('link', { name: 'History of Orchard mast' })).toHaveAttribute(
      'href',
      '/analysis?devices=WS-1',
    );
  });

  it('show their ages, and say in words when one is old', async () => {
    const lastData: Latest[] = [
      {
        ...weather(3.4, noon - 8000),
        leafWetness: { value: 'Wet', time: noon - 47 * 60_000, unit: '', name: 'Leaf wetness' },
      },
    ];
    draw(device({ lastData, offlineAfter: 600_000 }));
    const wet = await waitFor(() => row('Leaf wetness'));
    expect(wet).toHaveTextContent('Wet');
    expect(wet).toHaveTextContent('47 min older than usual');
    expect(row('Relative humidity')).not.toHaveTextContent('older than usual');
    act(() => vi.advanceTimersByTime(11 * 60_000));
    expect(row('Relative humidity')).toHaveTextContent('11 min older than usual');
    expect(screen.getByText('Last read 11 min ago')).toBeVisible();
  });

  it('learn how often a property is read, and mark it as old by that interval', async () => {
    const one = device({ deviceName: 'WS-1', offlineAfter: 3_600_000, lastData: [weather(3, noon)] });
    const { client, container } = draw(one);
    await act(() =>
      vi.waitFor(() => expect(client.getQueryState(deviceKeys.latest('en-us', 'WS-1'))?.status).toBe('success')),
    );
    for (let i = 1; i <= 3; i++) {
      const time = noon + i * 60_000;
      act(() => {
        vi.advanceTimersByTime(60_000);
        client.setQueryData(deviceKeys.latest('en-us', 'WS-1'), weather(3, time));
      });
      await waitFor(() =>
        expect(container.querySelector('header time')).toHaveAttribute('datetime', new Date(time).toISOString()),
      );
    }
    act(() => vi.advanceTimersByTime(170_000));
    expect(screen.queryByText(/Last read/)).toBeNull();
    act(() => vi.advanceTimersByTime(11_000));
    expect(screen.getByText('Last read 3 min ago')).toBeVisible();
  });

  it('of an offline device stay, greyed out, with their age', async () => {
    server.series = { airTemperature: series.slice(0, 2) };
    const { container } = draw(
      device({
        onlineState: 0,
        offlineTime: noon - 6 * hour,
        lastData: [weather(1.87, noon - 6 * hour - 20 * 60_000)],
      }),
    );
    expect(await screen.findByText('Last read 6 h ago')).toBeVisible();
    expect(screen.getByText('1.9')).toBeVisible();
    await waitFor(() => expect(container.querySelector('svg path[d^="M"]')).toBeInTheDocument());
  });

  it('that are booleans or texts have no chart', async () => {
    const lastData: Latest[] = [{ heating: { value: true, time: noon, unit: '', name: 'Heating' } }];
    draw(device({ mainSign: 'heating', lastData }));
    expect(await screen.findByText('On')).toBeVisible();
    expect(screen.queryByText('last 24 h')).toBeNull();
    await waitFor(() => expect(server.calls.length).toBeGreaterThanOrEqual(2));
    expect(server.calls.some(({ pathname }) => pathname.endsWith('time-interval-data'))).toBe(false);
  });

  it('are missing, not 0, if they were never read', async () => {
    const lastData: Latest[] = [
      { airTemperature: { value: 0, time: noon, unit: '°C', name: 'Air temperature', precision: 1 } },
    ];
    draw(device({ lastData }));
    expect(await screen.findByText('0.0')).toBeVisible();
    await waitFor(() => expect(row('Relative humidity')).toHaveTextContent('–'));
  });

  describe('that are derived', () => {
    const dew = { dewPoint: { value: 1.2, time: noon, unit: '°C', name: 'Dew point', precision: 1 } };
    const mark = () => screen.findByRole('button', { name: 'How Dew point is computed' });

    beforeEach(() => {
      server.model = [...model, dewPoint];
    });

    it('explain that in their row, for the keyboard too; measured ones do not', async () => {
      draw(device({ lastData: [{ ...weather(3.4, noon), ...dew }] }));
      expect(row('Dew point')).toContainElement(await mark());
      expect(screen.getAllByRole('button', { name: /is computed$/ })).toHaveLength(1);
      // Removes the tooltip's delay.
      vi.useFakeTimers({ now: noon, toFake: ['Date'] });
      await userEvent.tab();
      expect(await mark()).toHaveFocus();
      const note = await screen.findByRole('tooltip');
      expect(note).toHaveTextContent('Computed from Air temperature and Relative humidity');
    });

    it('explain that on a tap if they are the main one', async () => {
      draw(device({ mainSign: 'dewPoint', lastData: [dew] }));
      const button = await mark();
      expect(button.closest('li')).toBeNull();
      vi.useFakeTimers({ now: noon, toFake: ['Date'] });
      await userEvent.pointer({ keys: '[TouchA]', target: button });
      expect(await screen.findByRole('tooltip')).toHaveTextContent(/^Dew point/);
    });
  });

  it('have an empty state if there are none', async () => {
    draw(device({ lastData: [] }));
    expect(await screen.findByText('No readings yet')).toBeVisible();
  });

  it('stay if the server does not answer, with an error above them', async () => {
    const one = device({ deviceName: 'WS-1' });
    server.groups = [group({ deviceList: [one] })];
    const client = testClient();
    client.setQueryData(deviceKeys.latest('en-us', 'WS-1'), weather(7.5, noon - 60_000));
    server.failingPaths.set('/admin-api/device/data/all/data-last', noAnswer);
    renderWithProviders(<ReadingsPanel device={one} />, client);
    await act(() => client.invalidateQueries({ queryKey: deviceKeys.kind('latest') }));
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Cannot connect to the serverThese are the last known readings.',
    );
    expect(screen.getByText('7.5')).toBeVisible();
    server.failingPaths.clear();
    // The day stays: a real one may be long past the session's end.
    vi.useFakeTimers({ now: noon, toFake: ['Date'] });
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
    expect(screen.getByText('3.4')).toBeVisible();
  });

  it('follow the language, including decimals and units', async () => {
    draw(
      device({
        lastData: [{ wind: { value: 1.25, time: noon, unit: 'm/s', name: 'Wind', precision: 2 } }],
        mainSign: 'wind',
      }),
    );
    expect(await screen.findByText('m/s')).toBeVisible();
    await act(() => useLanguage.getState().setLanguage('ru-ru'));
    expect(await screen.findByText('м/с')).toBeVisible();
    expect(screen.getByText('1,25')).toBeVisible();
    expect(screen.getByRole('heading', { name: 'Показания' })).toBeVisible();
  });
});
