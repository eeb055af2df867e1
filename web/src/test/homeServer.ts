import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import { openConsole, untilFetched } from './console';
import { fakeStreams } from './fakeStreams';
import { onGet } from './server';
import { signedIn } from './session';
import { shellServer } from './shellServer';
import { device, group, overview, telemetryServer, weather } from './telemetryServer';

/** A tenant with one scene of two masts, one of them offline, a live stream and a signed-in user. */
export function homeServer() {
  signedIn();
  shellServer();
  const now = Date.now();
  const known = { onlineTime: now - 3_600_000, lastContact: now - 8000, lastData: [weather(3.4, now - 8000)] };
  const mast = device({ id: 1, deviceName: 'WS-1', noteName: 'Orchard mast', ...known });
  const lower = device({
    id: 2,
    deviceName: 'WS-2',
    noteName: 'Lower mast',
    ...known,
    onlineState: 0,
    offlineTime: now - 1000,
  });
  const marker = { noteName: '', groupId: 1, longitude: 27.3, latitude: 37.8 };
  const server = telemetryServer({
    overview: overview({ time: Date.now(), deviceCount: 2, onlineCount: 1, offlineCount: 1, offlineTodayCount: 1 }),
    groups: [group({ id: 0, groupName: '' }), group({ deviceList: [mast, lower] })],
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
  const live = fakeStreams();
  onGet('/admin-api/client/pc/live', ({ request }) =>
    live.open('', request.headers.get('Last-Event-ID') ?? '', request.signal),
  );
  return { server, live };
}

/** Opens the home page and waits until everything is loaded. */
export async function openHome({ server }: ReturnType<typeof homeServer>, address = '/dashboard-default') {
  const opened = await openConsole(address);
  await screen.findByRole('tree');
  // The stream's fresh start refetches everything once more.
  const lists = () => server.calls.filter(({ pathname }) => pathname.endsWith('get-group-device-list'));
  await waitFor(() => expect(lists().length).toBeGreaterThan(1));
  await untilFetched(opened.client);
  return { ...opened, user: userEvent.setup() };
}

/** One of the four statistics, by its title. */
export const statistic = (name: string) =>
  within(screen.getByRole('region', { name: 'Overview' }))
    .getByText(name)
    .closest('dl') as HTMLElement;
