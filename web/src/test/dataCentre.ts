import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, vi } from 'vitest';
import { frameBackend } from './backend';
import { openConsole } from './console';
import { device, farm, group, overview, weather } from './farm';
import { ok, onGet } from './server';
import { signedIn } from './session';
import { fakeStreams } from './stream';

const now = Date.now();
/** Heard of and read eight seconds ago. */
export const fresh = { onlineTime: now - 3_600_000, lastContact: now - 8000, lastData: [weather(3.4, now - 8000)] };
export const mast = device({ id: 1, deviceName: 'WS-1', noteName: 'Orchard mast', groupId: 1, ...fresh });
export const away = device({
  id: 2,
  deviceName: 'WS-2',
  noteName: 'Lower mast',
  groupId: 1,
  ...fresh,
  onlineState: 0,
  offlineTime: now - 3 * 3_600_000,
  lastData: [weather(7.5, now - 3 * 3_600_000)],
});
export const silent = device({ id: 3, deviceName: 'SP-3', noteName: 'New probe', groupId: 2, ...fresh, lastData: [] });
export const camera = device({
  id: 4,
  deviceName: 'CAM-4',
  serial: 'SXT-4',
  noteName: 'Gate camera',
  groupId: 2,
  type: 2,
  videoKind: 'embed',
  ...fresh,
  lastData: [],
});

/** Where the calls about devices are. */
export const path = '/admin-api/client/pc/device';

/** A farm with a mast that is heard of, one that is not, one that never read anything, and a camera. */
export function place(
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

/** Opens the data centre and waits until it stands and the stream has begun. */
export async function open(given: ReturnType<typeof place>, address = '/data') {
  const opened = await openConsole(address);
  await screen.findByRole('tree');
  await waitFor(() => expect(given.live.streams.length).toBeGreaterThan(0));
  await waitFor(() => expect(opened.client.isFetching()).toBe(0));
  return { ...opened, user: userEvent.setup() };
}

/** Of the cards, in their order. */
export const names = () => screen.queryAllByRole('article').map((card) => card.getAttribute('aria-label'));
export const card = (name: string) => within(screen.getByRole('article', { name }));
export const row = (name: RegExp) => screen.getByRole('treeitem', { name });
export const grid = () => screen.getByRole('list', { name: 'Readings and cameras' });

/** The window stands so many pixels down the grid. */
export function scrollTo(pixels: number) {
  vi.spyOn(grid(), 'getBoundingClientRect').mockReturnValue({ top: -pixels } as DOMRect);
  fireEvent.scroll(window);
}
