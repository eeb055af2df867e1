import { act, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '@/lib/http/api';
import { useSession } from '@/lib/session/session';
import { fakeStreams } from '@/test/fakeStreams';
import { signedIn } from '@/test/session';
import { type LiveEvent, useLive, useLiveStatus } from './useLive';

let server: ReturnType<typeof fakeStreams>;
let received: LiveEvent[];
/** What waits for an answer, in order; each is given its position. */
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
  it('opens a stream for whoever is signed in, and tells of a fresh start and of every event', async () => {
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

  it('opens from where the stream stood before anything was fetched, so that nothing is asked for twice', async () => {
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

  it('begins as before where the answers know no position, or there are none', async () => {
    signedIn();
    const calls = Promise.allSettled([ask(), ask()]);
    render(<Screen />);
    await waitFor(() => expect(positionRequests).toHaveLength(2));
    for (const give of positionRequests) give('');
    await calls;
    await waitFor(() => expect(received).toEqual([{ name: 'reset' }]));
    expect(server.newest()?.lastEventId).toBe('');
  });

  it('asks anew when the server no longer knows what happened since', async () => {
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

  it('goes on from what was shown last when somebody looks again', async () => {
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

  it('forgets with the person where the stream stood, and what is answered to them late', async () => {
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

  it('opens nothing while nobody is signed in, and a stream as soon as somebody is', async () => {
    render(<Screen />);
    await act(async () => undefined);
    expect(server.open).not.toHaveBeenCalled();
    act(() => void signedIn());
    expect(await screen.findByText('live no event')).toBeVisible();
  });

  it('closes the stream when the person leaves', async () => {
    signedIn();
    render(<Screen />);
    await screen.findByText('live no event');
    act(() => useSession.setState({ session: null, ended: 'quit' }));
    expect(await screen.findByText('connecting no event')).toBeVisible();
    expect(server.newest()?.signal.aborted).toBe(true);
  });

  it('begins anew for another person, knowing nothing of the position before', async () => {
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

  it('keeps the stream over a new token and from one screen to the next, and closes it after the last', async () => {
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

  it('hands events to the newest handler', async () => {
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
