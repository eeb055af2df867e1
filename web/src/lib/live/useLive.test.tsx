import { act, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '@/lib/http/api';
import { useSession } from '@/lib/session/session';
import { fakeStreams } from '@/test/fakeStreams';
import { signedIn } from '@/test/session';
import { type LiveEvent, useLive, useLiveStatus } from './useLive';

let server: ReturnType<typeof fakeStreams>;
let received: LiveEvent[];
/** The waiting requests for a position, in order; the test answers each. */
let positionRequests: ((position: string) => void)[];

const counts = '/admin-api/client/pc/home/overview-statistics';
const ask = () => api.get(counts);
function answer(position: string): Response {
  const headers = { 'Content-Type': 'application/json', ...(position ? { 'Live-Position': position } : {}) };
  return new Response('{"code":200,"data":{},"msg":""}', { headers });
}

function Screen() {
  useLive((events) => received.push(...events));
  const { state, lastEventAt } = useLiveStatus();
  return <p>{`${state} ${lastEventAt === null ? 'no event' : 'some event'}`}</p>;
}

function StorageStatus() {
  return <p>{`since ${useLiveStatus().storageStoppedAt}`}</p>;
}

function Named({ name, seen }: { name: string; seen: string[] }) {
  useLive(() => seen.push(name));
  return <p>{useLiveStatus().state}</p>;
}

beforeEach(() => {
  server = fakeStreams();
  received = [];
  positionRequests = [];
  vi.stubGlobal(
    'fetch',
    (path: string, { headers, signal }: { headers: Record<string, string>; signal: AbortSignal }) => {
      if (path === counts)
        return new Promise((resolve) => positionRequests.push((position) => resolve(answer(position))));
      expect(path).toBe('/admin-api/client/pc/live');
      return server.open(headers.Authorization ?? '', headers['Last-Event-ID'] ?? '', signal);
    },
  );
});

afterEach(() => vi.unstubAllGlobals());

const reading = 'id: e-1\nevent: reading\ndata: {"deviceName":"WS-0001","time":5,"values":{"airTemperature":3.4}}\n\n';

describe('useLive', () => {
  it('opens a stream for the signed-in user, and reports a fresh start and every event', async () => {
    signedIn({ accessToken: 'mine' });
    render(<Screen />);
    expect(await screen.findByText('live no event')).toBeVisible();
    expect(server.newest()?.token).toBe('Bearer mine');
    await waitFor(() => expect(received).toEqual([{ name: 'reset' }]));
    act(() => server.newest()?.write(reading));
    expect(await screen.findByText('live some event')).toBeVisible();
    expect(received[1]).toEqual({
      name: 'reading',
      data: { deviceName: 'WS-0001', time: 5, values: { airTemperature: 3.4 } },
    });
  });

  it('tells since when readings are not stored, until they are or the stream ends', async () => {
    signedIn();
    render(<StorageStatus />);
    await waitFor(() => expect(server.streams).toHaveLength(1));
    act(() => server.newest()?.write('event: storage\ndata: {"stoppedAt":77}\n\n'));
    expect(await screen.findByText('since 77')).toBeVisible();
    act(() => server.newest()?.write('event: storage\ndata: {}\n\n'));
    expect(await screen.findByText('since null')).toBeVisible();
    act(() => server.newest()?.write('event: storage\ndata: {"stoppedAt":78}\n\n'));
    expect(await screen.findByText('since 78')).toBeVisible();
    act(() => server.newest()?.end());
    expect(await screen.findByText('since null')).toBeVisible();
  });

  it('opens from the position before the first fetch, so that nothing is fetched twice', async () => {
    signedIn();
    const calls = Promise.all([ask(), ask()]);
    render(<Screen />);
    await waitFor(() => expect(positionRequests).toHaveLength(2));
    positionRequests[1]?.('e-12');
    await act(async () => undefined);
    expect(server.open).not.toHaveBeenCalled();
    positionRequests[0]?.('e-9');
    await calls;
    expect(await screen.findByText('live no event')).toBeVisible();
    expect(server.streams.map(({ lastEventId }) => lastEventId)).toEqual(['e-9']);
    act(() => server.newest()?.write(reading));
    expect(await screen.findByText('live some event')).toBeVisible();
    expect(received.map(({ name }) => name)).toEqual(['reading']);
  });

  it('begins with a reset if no answer has a position, or there are no answers', async () => {
    signedIn();
    const calls = Promise.allSettled([ask(), ask()]);
    render(<Screen />);
    await waitFor(() => expect(positionRequests).toHaveLength(2));
    for (const give of positionRequests) give('');
    await calls;
    await waitFor(() => expect(received).toEqual([{ name: 'reset' }]));
    expect(server.newest()?.lastEventId).toBe('');
  });

  it('resets when the server no longer has the events since', async () => {
    signedIn();
    render(<Screen />);
    const call = ask();
    await waitFor(() => expect(positionRequests).toHaveLength(1));
    positionRequests[0]?.('gone-3');
    await call;
    await screen.findByText('live no event');
    expect(server.newest()?.lastEventId).toBe('gone-3');
    act(() => server.newest()?.write('id: e-40\nevent: reset\ndata: {}\n\n'));
    await waitFor(() => expect(received).toEqual([{ name: 'reset' }]));
  });

  it('continues from the last shown event when a screen subscribes again', async () => {
    signedIn();
    const first = render(<Screen />);
    await screen.findByText('live no event');
    act(() => server.newest()?.write(reading));
    await screen.findByText('live some event');
    first.unmount();
    await waitFor(() => expect(server.newest()?.signal.aborted).toBe(true));
    received = [];
    render(<Screen />);
    await screen.findByText('live no event');
    expect(server.newest()?.lastEventId).toBe('e-1');
    act(() => server.newest()?.write('id: e-2\nevent: notice\ndata: {}\n\n'));
    await waitFor(() => expect(received).toEqual([{ name: 'notice', data: {} }]));
  });

  it('forgets the position and late answers of a former user', async () => {
    signedIn({ userId: 7 });
    const calls = Promise.all([ask(), ask()]);
    await waitFor(() => expect(positionRequests).toHaveLength(2));
    positionRequests[0]?.('e-5');
    act(() => useSession.setState({ session: null, ended: 'quit' }));
    act(() => void signedIn({ userId: 8, accessToken: 'theirs' }));
    positionRequests[1]?.('e-4');
    await calls;
    render(<Screen />);
    await screen.findByText('live no event');
    expect(server.newest()).toMatchObject({ token: 'Bearer theirs', lastEventId: '' });
  });

  it('opens no stream until a user is signed in', async () => {
    render(<Screen />);
    await act(async () => undefined);
    expect(server.open).not.toHaveBeenCalled();
    act(() => void signedIn());
    expect(await screen.findByText('live no event')).toBeVisible();
  });

  it('closes the stream when the user signs out', async () => {
    signedIn();
    render(<Screen />);
    await screen.findByText('live no event');
    act(() => useSession.setState({ session: null, ended: 'quit' }));
    expect(await screen.findByText('connecting no event')).toBeVisible();
    expect(server.newest()?.signal.aborted).toBe(true);
  });

  it('starts over for another user, without the former position', async () => {
    signedIn({ userId: 7 });
    render(<Screen />);
    await screen.findByText('live no event');
    act(() => server.newest()?.write(reading));
    await screen.findByText('live some event');
    act(() => void signedIn({ userId: 8, accessToken: 'theirs' }));
    expect(await screen.findByText('live no event')).toBeVisible();
    expect(server.streams).toHaveLength(2);
    expect(server.newest()).toMatchObject({ token: 'Bearer theirs', lastEventId: '' });
  });

  it('keeps the stream across a new token and a change of screens, and closes it after the last screen', async () => {
    signedIn();
    const first = render(<Screen />);
    await screen.findByText('live no event');
    act(() => void signedIn({ accessToken: 'renewed' }));
    const second = render(<Screen />);
    first.unmount();
    await act(async () => undefined);
    expect(server.streams).toHaveLength(1);
    expect(server.newest()?.signal.aborted).toBe(false);
    second.unmount();
    await waitFor(() => expect(server.newest()?.signal.aborted).toBe(true));
  });

  it('passes events to the newest handler', async () => {
    signedIn();
    const seen: string[] = [];
    const { rerender } = render(<Named name="first" seen={seen} />);
    await screen.findByText('live');
    await waitFor(() => expect(seen).toEqual(['first']));
    rerender(<Named name="second" seen={seen} />);
    act(() => server.newest()?.write(reading));
    await waitFor(() => expect(seen).toEqual(['first', 'second']));
  });
});
