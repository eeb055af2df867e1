import { act, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useSession } from '@/lib/session';
import { signedIn } from '@/test/session';
import { fakeStreams } from '@/test/stream';
import { type LiveEvent, useLive, useLiveStatus } from './live';

let server: ReturnType<typeof fakeStreams>;
let told: LiveEvent[];

function Screen() {
  useLive((events) => told.push(...events));
  const { state, lastEventAt } = useLiveStatus();
  return <p>{`${state} ${lastEventAt === null ? 'no event' : 'some event'}`}</p>;
}

function Named({ name, seen }: { name: string; seen: string[] }) {
  useLive(() => seen.push(name));
  return <p>{useLiveStatus().state}</p>;
}

beforeEach(() => {
  server = fakeStreams();
  told = [];
  vi.stubGlobal(
    'fetch',
    (path: string, { headers, signal }: { headers: Record<string, string>; signal: AbortSignal }) => {
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
    await waitFor(() => expect(told).toEqual([{ name: 'reset' }]));
    act(() => server.newest()?.write(reading));
    expect(await screen.findByText('live some event')).toBeVisible();
    expect(told[1]).toEqual({
      name: 'reading',
      data: { deviceName: 'WS-0001', time: 5, values: { airTemperature: 3.4 } },
    });
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
