import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStream } from './stream';

type Told = { fatal: boolean; type: string };

/** Replaces the library, which needs a browser that can decode. */
const hls = vi.hoisted(() => ({
  supported: true,
  made: [] as {
    config: Record<string, unknown>;
    calls: string[];
    listen: (event: string, data: Told) => void;
    playingDate: Date | null;
    liveSyncPosition: number | null;
  }[],
}));

vi.mock('hls.js/light', () => {
  class Fake {
    static isSupported = () => hls.supported;
    calls: string[] = [];
    listen: (event: string, data: Told) => void = () => undefined;
    playingDate: Date | null = new Date(1000);
    liveSyncPosition: number | null = 42;
    config: Record<string, unknown>;
    constructor(config: Record<string, unknown>) {
      this.config = config;
      hls.made.push(this as never);
    }
    on(_: string, listener: (event: string, data: Told) => void) {
      this.listen = listener;
    }
    loadSource = (url: string) => this.calls.push(`load ${url}`);
    attachMedia = () => this.calls.push('attach');
    recoverMediaError = () => this.calls.push('recover');
    startLoad = (at: number) => this.calls.push(`start ${at}`);
    stopLoad = () => this.calls.push('stop');
    destroy = () => this.calls.push('destroy');
  }
  return { default: Fake, Events: { ERROR: 'hlsError' }, ErrorTypes: { MEDIA_ERROR: 'mediaError' } };
});

const source = { kind: 'hls', url: 'https://camera.example/live.m3u8' } as const;
const listener = () => ({ onDown: vi.fn(), onUnsupported: vi.fn() });

beforeEach(() => {
  hls.supported = true;
  hls.made.length = 0;
  HTMLMediaElement.prototype.load = vi.fn();
});

afterEach(() => vi.restoreAllMocks());

describe('an HLS stream', () => {
  it('is played by the library, without a worker', async () => {
    const stream = await openStream(document.createElement('video'), source, listener());
    const [made] = hls.made;
    expect(made?.config).toMatchObject({ enableWorker: false, liveDurationInfinity: true });
    expect(made?.calls).toEqual([`load ${source.url}`, 'attach']);
    expect(stream.date()).toEqual(new Date(1000));
    expect(stream.own).toBe(true);
    stream.close();
    expect(made?.calls.at(-1)).toBe('destroy');
  });

  it('pauses and continues at the newest frame', async () => {
    const video = document.createElement('video');
    Object.defineProperty(video, 'duration', { value: Number.POSITIVE_INFINITY });
    const stream = await openStream(video, source, listener());
    stream.fetch(false);
    stream.fetch(true);
    expect(hls.made[0]?.calls.slice(2)).toEqual(['stop', 'start -1']);
    expect(video.currentTime).toBe(42);
  });

  it('continues a recording where it stopped', async () => {
    const video = document.createElement('video');
    Object.defineProperty(video, 'duration', { value: 60 });
    const stream = await openStream(video, source, listener());
    stream.fetch(true);
    expect(video.currentTime).toBe(0);
  });

  it('is down after a fatal error; one media error is recovered', async () => {
    const streamListener = listener();
    await openStream(document.createElement('video'), source, streamListener);
    const [made] = hls.made;
    made?.listen('hlsError', { fatal: false, type: 'networkError' });
    made?.listen('hlsError', { fatal: true, type: 'mediaError' });
    expect(made?.calls.at(-1)).toBe('recover');
    expect(streamListener.onDown).not.toHaveBeenCalled();
    made?.listen('hlsError', { fatal: true, type: 'mediaError' });
    expect(streamListener.onDown).toHaveBeenCalledOnce();
  });

  it('is played by the browser if only that can play it', async () => {
    hls.supported = false;
    const video = document.createElement('video');
    vi.spyOn(video, 'canPlayType').mockReturnValue('maybe');
    const streamListener = listener();
    const stream = await openStream(video, source, streamListener);
    expect(video.src).toBe(source.url);
    expect([hls.made.length, stream.own]).toEqual([0, false]);
    video.dispatchEvent(new Event('error'));
    expect(streamListener.onDown).toHaveBeenCalledOnce();
  });

  it('reports that nothing can play it', async () => {
    hls.supported = false;
    const video = document.createElement('video');
    vi.spyOn(video, 'canPlayType').mockReturnValue('');
    const streamListener = listener();
    const stream = await openStream(video, source, streamListener);
    expect(streamListener.onUnsupported).toHaveBeenCalledOnce();
    expect(stream.date()).toBeNull();
    stream.fetch(true);
    stream.close();
  });
});

describe('a film', () => {
  it('is played by the browser, without the library, and released', async () => {
    const video = document.createElement('video');
    const streamListener = listener();
    const stream = await openStream(video, { kind: 'file', url: '/clip.mp4' }, streamListener);
    expect(new URL(video.src).pathname).toBe('/clip.mp4');
    expect([hls.made.length, stream.own]).toEqual([0, true]);
    stream.close();
    expect(video.hasAttribute('src')).toBe(false);
    expect(video.load).toHaveBeenCalledOnce();
    // The element reports the release as an error, which must not be passed on.
    video.dispatchEvent(new Event('error'));
    expect(streamListener.onDown).not.toHaveBeenCalled();
  });
});
