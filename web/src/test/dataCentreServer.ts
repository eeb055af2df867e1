import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, vi } from 'vitest';
import { openConsole, untilFetched } from './console';
import { fakeStreams } from './fakeStreams';
import { ok, onGet } from './server';
import { signedIn } from './session';
import { shellServer } from './shellServer';
import { device, group, overview, telemetryServer, weather } from './telemetryServer';

const now = Date.now();
/** Last contact and last reading eight seconds ago. */
export const freshContact = {
  onlineTime: now - 3_600_000,
  lastContact: now - 8000,
  lastData: [weather(3.4, now - 8000)],
};
export const mast = device({ id: 1, deviceName: 'WS-1', noteName: 'Orchard mast', groupId: 1, ...freshContact });
export const offlineMast = device({
  id: 2,
  deviceName: 'WS-2',
  noteName: 'Lower mast',
  groupId: 1,
  ...freshContact,
  onlineState: 0,
  offlineTime: now - 3 * 3_600_000,
  lastData: [weather(7.5, now - 3 * 3_600_000)],
});
export const unreadProbe = device({
  id: 3,
  deviceName: 'SP-3',
  noteName: 'New probe',
  groupId: 2,
  ...freshContact,
  lastData: [],
});
export const camera = device({
  id: 4,
  deviceName: 'CAM-4',
  serial: 'SXT-4',
  noteName: 'Gate camera',
  groupId: 2,
  type: 2,
  videoKind: 'embed',
  ...freshContact,
  lastData: [],
});

/** The path of the device calls. */
export const devicePath = '/admin-api/client/pc/device';

/** A tenant with a mast online, one offline, one without any readings, and a camera. */
export function dataCentreServer(
  groups = [
    group({ id: 0, groupName: '' }),
    group({ deviceList: [mast, offlineMast] }),
    group({ id: 2, groupName: 'Gate', deviceList: [unreadProbe, camera] }),
  ],
) {
  signedIn();
  shellServer();
  const server = telemetryServer({ groups, overview: overview({ time: Date.now() }) });
  const live = fakeStreams();
  const streams = { kind: 'embed' };
  const videoRequests: string[] = [];
  onGet('/admin-api/client/pc/live', ({ request }) =>
    live.open('', request.headers.get('Last-Event-ID') ?? '', request.signal),
  );
  onGet(`${devicePath}/get/video`, ({ request }) => {
    videoRequests.push(new URL(request.url).searchParams.get('deviceName') ?? '');
    return ok({ kind: streams.kind, url: '/picture' });
  });
  const asked = (call: string) =>
    server.calls.filter(({ pathname }) => pathname.endsWith(call)).map(({ searchParams }) => searchParams);
  return { server, live, asked, streams, asks: videoRequests };
}

/** Opens the data centre and waits until it is rendered and the stream is open. */
export async function openDataCentre(centre: ReturnType<typeof dataCentreServer>, address = '/data') {
  const opened = await openConsole(address);
  await screen.findByRole('tree');
  // The stream's fresh start refetches everything once more; its opening counts as an answer of the server.
  await screen.findByText(/^Live/);
  await waitFor(() => expect(centre.asked('get-group-device-list').length).toBeGreaterThan(1));
  await untilFetched(opened.client);
  return { ...opened, user: userEvent.setup() };
}

/** The names of the cards, in order. */
export const cardNames = () => screen.queryAllByRole('article').map((card) => card.getAttribute('aria-label'));
export const card = (name: string) => within(screen.getByRole('article', { name }));
export const row = (name: RegExp) => screen.getByRole('treeitem', { name });
export const grid = () => screen.getByRole('group', { name: 'Readings and cameras' });
/** The cards of a scene. */
export const cardsOf = (scene: string) => screen.getByRole('list', { name: `Devices of ${scene}` });

/** Scrolls the window so many pixels down the grid. */
export function scrollTo(pixels: number) {
  vi.spyOn(grid(), 'getBoundingClientRect').mockReturnValue({ top: -pixels } as DOMRect);
  fireEvent.scroll(window);
}
