import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openConsole } from '@/test/console';
import { homeServer, openHome, statistic } from '@/test/homeServer';
import { noAnswer, weather } from '@/test/telemetryServer';
import type { MapContent } from './map/useMapContent';

// Leaflet needs a browser's layout, which the browser tests have. Here the map only shows its
// props.
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

let telemetry: ReturnType<typeof homeServer>;

const panel = (name: string) => screen.getByRole('region', { name });
const streamEvent = (name: string, data: object) =>
  act(() => telemetry.live.newest()?.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`));
const requestsTo = (path: string) => telemetry.server.calls.filter(({ pathname }) => pathname.endsWith(path)).length;

beforeEach(() => {
  telemetry = homeServer();
});

describe('live', () => {
  it('updates list and panel with a reading, without a request', async () => {
    await openHome(telemetry);
    await screen.findByText('Relative humidity');
    const before = telemetry.server.calls.length;
    streamEvent('reading', { deviceName: 'WS-1', time: Date.now(), values: { airTemperature: 4.7, airHumidity: 88 } });
    const row = screen.getByRole('treeitem', { name: /Orchard mast/ });
    await waitFor(() => expect(row).toHaveTextContent('4.7'));
    expect(within(panel('Readings')).getByText('4.7')).toBeVisible();
    expect(within(panel('Readings')).getByText('88')).toBeVisible();
    expect(telemetry.server.calls.slice(before).map(String)).toEqual([]);
  });

  it('updates the counts, the group, the row and the mark when a device goes offline', async () => {
    await openHome(telemetry);
    await screen.findByRole('button', { name: 'mark WS-1 1' });
    streamEvent('presence', { deviceName: 'WS-1', onlineState: 0, time: Date.now() + 5 });
    await waitFor(() => expect(statistic('Online devices')).toHaveTextContent(/^Online devices00/));
    expect(statistic('Offline devices')).toHaveTextContent('22 went offline today');
    expect(screen.getByRole('treeitem', { name: /North orchard 0 of 2 online/ })).toBeInTheDocument();
    expect(screen.getByRole('treeitem', { name: /Offline Orchard mast/ })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'mark WS-1 0' })).toBeVisible();
    expect(within(panel('Orchard mast')).getByText('Offline')).toBeVisible();
  });

  it('shows the alarm of a notice', async () => {
    await openHome(telemetry);
    const [none, orchard] = telemetry.server.groups;
    if (!none || !orchard) throw new Error('the sample tenant must have two groups');
    telemetry.server.groups = [
      none,
      { ...orchard, deviceList: orchard.deviceList.map((device) => ({ ...device, alarmLevel: 2 as const })) },
    ];
    telemetry.server.overview = { ...telemetry.server.overview, todayAlarmCount: 7, pendingAlarmCount: 3 };
    streamEvent('notice', { id: 1 });
    expect(await within(screen.getByRole('treeitem', { name: /Orchard mast/ })).findByText('Serious')).toBeVisible();
    expect(statistic('Alarms today')).toHaveTextContent('73 pending');
  });

  it('refetches everything after a gap of the stream', async () => {
    await openHome(telemetry);
    const before = requestsTo('get-group-device-list');
    const [none, orchard] = telemetry.server.groups;
    if (!none || !orchard?.deviceList[0]) throw new Error('the sample tenant must have two groups');
    const changed = { ...orchard.deviceList[0], noteName: 'Renamed mast', lastData: [weather(9.9, Date.now())] };
    telemetry.server.groups = [none, { ...orchard, deviceList: [changed, ...orchard.deviceList.slice(1)] }];
    streamEvent('reset', {});
    expect(await screen.findByRole('treeitem', { name: /Renamed mast/ })).toHaveTextContent('9.9');
    expect(requestsTo('get-group-device-list')).toBe(before + 1);
  });
});

describe('when the server does not answer', () => {
  const problem = async () =>
    (await screen.findByText('The server does not answer')).closest('[role="alert"]') as HTMLElement;

  it('keeps the previous data, with its age and a button to retry', async () => {
    const { client, user } = await openHome(telemetry);
    telemetry.server.failingPaths.set('/admin-api/client/pc/device/get-group-device-list', noAnswer);
    await act(() => client.invalidateQueries({ queryKey: ['devices', 'groups'] }));
    const note = await problem();
    expect(note).toHaveTextContent(/The data shown is from \d\d:\d\d, (now|\d+ s ago)\. Trying again in \d+ s\./);
    expect(screen.getByRole('treeitem', { name: /Orchard mast/ })).toBeInTheDocument();
    telemetry.server.failingPaths.clear();
    await user.click(within(note).getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(screen.queryByText('The server does not answer')).toBeNull());
  });

  it('says so if nothing could be fetched from the beginning', async () => {
    for (const path of ['home/overview-statistics', 'device/get-group-device-list', 'device/map']) {
      telemetry.server.failingPaths.set(`/admin-api/client/pc/${path}`, noAnswer);
    }
    await openConsole('/dashboard-default');
    expect(await screen.findByText('The devices could not be fetched')).toBeVisible();
    expect(statistic('Total devices')).toHaveTextContent('–');
    expect(await problem()).toHaveTextContent(/^The server does not answerTrying again in \d+ s\./);
  });
});
