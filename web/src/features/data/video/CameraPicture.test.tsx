import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { renderWithProviders } from '@/test/renderWithProviders';
import { ok, onGet } from '@/test/server';
import { device, noAnswer } from '@/test/telemetryServer';
import { CameraPicture } from './CameraPicture';
import type { Stream, StreamListener } from './stream';

const opened = vi.hoisted(() => ({
  streams: [] as { url: string; listener: StreamListener; fetches: boolean[]; closed: boolean }[],
  refuse: false,
}));

// The player's controls, not the decoder, which jsdom lacks.
vi.mock('./stream', () => ({
  openStream: async (_: HTMLVideoElement, { url }: { url: string }, listener: StreamListener): Promise<Stream> => {
    if (opened.refuse) throw new Error('the library cannot be loaded');
    const own = { url, listener, fetches: [] as boolean[], closed: false };
    opened.streams.push(own);
    return {
      date: () => new Date('2026-11-21T06:14:09.500'),
      fetch: (on) => own.fetches.push(on),
      own: true,
      close: () => {
        own.closed = true;
      },
    };
  },
}));

const camera = device({ deviceName: 'CAM-1', noteName: 'Gate camera', type: 2 });
const videoPath = '/admin-api/client/pc/device/get/video';
let play: ReturnType<typeof vi.fn>;
let setInView: (inView: boolean) => void;
let requestCount: number;

beforeEach(() => {
  requestCount = 0;
  opened.streams.length = 0;
  opened.refuse = false;
  play = vi.fn(async () => undefined);
  HTMLMediaElement.prototype.play = play as never;
  HTMLMediaElement.prototype.pause = vi.fn();
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(tell: (entries: object[]) => void) {
        setInView = (isIntersecting) => act(() => tell([{ isIntersecting }]));
      }
      observe() {}
      disconnect() {}
    },
  );
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const answers = (...list: (() => Response)[]) =>
  onGet(videoPath, () => {
    requestCount += 1;
    return (list.length > 1 ? list.shift() : list[0])?.();
  });
const videoAnswer =
  (kind: string, url = '') =>
  () =>
    ok({ kind, url });

function draw() {
  renderWithProviders(<CameraPicture device={camera} />);
  setInView(true);
}

const video = () => screen.getByLabelText<HTMLVideoElement>('Picture of Gate camera');
async function playing() {
  await waitFor(() => expect(opened.streams.at(-1)?.closed).toBe(false));
  await waitFor(() => expect(play).toHaveBeenCalled());
  fireEvent.playing(video());
  await screen.findByRole('button', { name: 'Pause' });
}

describe('a camera’s picture', () => {
  it('is fetched only while it is in view and released afterwards', async () => {
    answers(videoAnswer('hls', 'https://camera.example/a.m3u8'));
    renderWithProviders(<CameraPicture device={camera} />);
    expect(requestCount).toBe(0);
    setInView(true);
    await playing();
    expect(requestCount).toBe(1);
    setInView(false);
    await waitFor(() => expect(opened.streams[0]?.closed).toBe(true));
    expect(screen.queryByLabelText('Picture of Gate camera')).toBeNull();
    setInView(true);
    await waitFor(() => expect(requestCount).toBe(2));
  });

  it('is not fetched if it is only scrolled past', async () => {
    vi.useFakeTimers();
    answers(videoAnswer('none'));
    draw();
    act(() => vi.advanceTimersByTime(100));
    setInView(false);
    act(() => vi.advanceTimersByTime(1000));
    vi.useRealTimers();
    expect(requestCount).toBe(0);
  });

  it('says that no stream is set', async () => {
    answers(videoAnswer('none'));
    draw();
    expect(await screen.findByText('No stream yet')).toBeVisible();
    expect(screen.getByText(/not set where the picture of Gate camera comes from/)).toBeVisible();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('shows an error if its address cannot be fetched, and can be retried', async () => {
    answers(noAnswer, videoAnswer('none'));
    draw();
    expect(await screen.findByText('The camera’s address could not be fetched')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await screen.findByText('No stream yet')).toBeVisible();
  });
});

describe('a snippet', () => {
  const frame = () => screen.getByTitle<HTMLIFrameElement>('Picture of Gate camera');

  it('runs in a frame that allows scripts and nothing else', async () => {
    answers(videoAnswer('embed', '/embed/one'));
    draw();
    expect((await screen.findByTitle('Picture of Gate camera')).getAttribute('sandbox')).toBe('allow-scripts');
    expect(frame()).toHaveAttribute('src', '/embed/one');
    expect(frame()).toHaveAttribute('referrerpolicy', 'no-referrer');
  });

  it('stays as it was loaded until the user reloads it', async () => {
    answers(videoAnswer('embed', '/embed/one'), videoAnswer('embed', '/embed/two'));
    draw();
    await screen.findByTitle('Picture of Gate camera');
    await userEvent.click(screen.getByRole('button', { name: 'Load the picture again' }));
    await waitFor(() => expect(frame()).toHaveAttribute('src', '/embed/two'));
    expect(requestCount).toBe(2);
  });

  it('is fetched again when it comes back into view, since its address is valid for a minute', async () => {
    answers(videoAnswer('embed', '/embed/one'), videoAnswer('embed', '/embed/two'));
    draw();
    await screen.findByTitle('Picture of Gate camera');
    setInView(false);
    setInView(true);
    await waitFor(() => expect(screen.queryByTitle('Picture of Gate camera')).toHaveAttribute('src', '/embed/two'));
  });
});

describe('a stream', () => {
  beforeEach(() => answers(videoAnswer('hls', 'https://camera.example/a.m3u8')));

  it('plays without sound and shows that it is live, and the camera’s own time', async () => {
    draw();
    await playing();
    expect(video().muted).toBe(true);
    Object.defineProperty(video(), 'duration', { value: Number.POSITIVE_INFINITY });
    fireEvent.timeUpdate(video());
    expect(await screen.findByText('Live')).toBeVisible();
    expect(screen.getByText('Nov 21, 2026, 06:14:09')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Save picture' })).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Pause' }));
    fireEvent.pause(video());
    await waitFor(() => expect(screen.queryByText('Live')).toBeNull());
  });

  it('is paused by the user, fetches nothing meanwhile, and continues', async () => {
    draw();
    await playing();
    await userEvent.click(screen.getByRole('button', { name: 'Pause' }));
    fireEvent.pause(video());
    const go = await screen.findByRole('button', { name: 'Play' });
    expect(opened.streams[0]?.fetches).toEqual([false]);
    await userEvent.click(go);
    fireEvent.play(video());
    fireEvent.playing(video());
    expect(await screen.findByRole('button', { name: 'Pause' })).toBeVisible();
    expect(opened.streams[0]?.fetches).toEqual([false, true]);
  });

  it('stops fetching while the tab is hidden', async () => {
    draw();
    await playing();
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    fireEvent(document, new Event('visibilitychange'));
    expect(HTMLMediaElement.prototype.pause).toHaveBeenCalled();
    expect(opened.streams[0]?.fetches).toEqual([false]);
    fireEvent.pause(video());
    // The user did not pause.
    expect(screen.getByRole('button', { name: 'Pause' })).toBeVisible();
    hidden.mockReturnValue(false);
    const before = play.mock.calls.length;
    fireEvent(document, new Event('visibilitychange'));
    expect(play.mock.calls.length).toBe(before + 1);
  });

  it('offers a play button if the browser blocks autoplay', async () => {
    play.mockRejectedValue(new DOMException('touch first', 'NotAllowedError'));
    draw();
    expect(await screen.findByRole('button', { name: 'Play' })).toBeVisible();
  });

  it('says that it is down and when the next attempt is, which can also be made at once', async () => {
    draw();
    await playing();
    act(() => opened.streams[0]?.listener.onDown());
    expect(await screen.findByText('The stream does not answer')).toBeVisible();
    expect(screen.getByText(/^The camera or its connection is down\. Trying again in (29|30) s\.$/)).toBeVisible();
    expect(opened.streams[0]?.closed).toBe(true);
    await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
    await waitFor(() => expect(opened.streams).toHaveLength(2));
    expect(screen.queryByText('The stream does not answer')).toBeNull();
  });

  it('counts as down if it stalls, and is retried automatically', async () => {
    draw();
    await playing();
    vi.useFakeTimers();
    fireEvent.timeUpdate(video());
    act(() => vi.advanceTimersByTime(19_000));
    expect(screen.queryByText('The stream does not answer')).toBeNull();
    act(() => vi.advanceTimersByTime(1000));
    expect(screen.getByText('The stream does not answer')).toBeVisible();
    await act(() => vi.advanceTimersByTimeAsync(30_000));
    vi.useRealTimers();
    expect(opened.streams).toHaveLength(2);
  });

  it('counts as down if the player cannot be loaded', async () => {
    opened.refuse = true;
    draw();
    expect(await screen.findByText('The stream does not answer')).toBeVisible();
  });

  it('says that this browser cannot play it, without another attempt', async () => {
    draw();
    await waitFor(() => expect(opened.streams).toHaveLength(1));
    act(() => opened.streams[0]?.listener.onUnsupported());
    expect(await screen.findByText('This browser cannot show the stream')).toBeVisible();
    expect(screen.queryByRole('button')).toBeNull();
  });
});
