/** The source of a picture for a <video> element. */
export interface Source {
  kind: 'hls' | 'file';
  url: string;
}

export interface StreamListener {
  /** The source cannot be played: its address does not answer, or the answer is not a video. */
  onDown: () => void;
  /** This browser cannot play the source. */
  onUnsupported: () => void;
}

export interface Stream {
  /** The camera's own time of the current frame; null if the stream does not contain it. */
  date: () => Date | null;
  /** Continues or stops fetching; it stops while nobody looks. */
  fetch: (on: boolean) => void;
  /** The frames have this page's origin, so they may be drawn and saved. */
  own: boolean;
  close: () => void;
}

const hlsType = 'application/vnd.apple.mpegurl';

/** Connects a video element to a source. The HLS library is loaded only when it is needed. */
export async function openStream(video: HTMLVideoElement, source: Source, listener: StreamListener): Promise<Stream> {
  if (source.kind === 'file') return playDirectly(video, source.url, listener);
  const { default: Hls, ErrorTypes, Events } = await import('hls.js/light');
  if (!Hls.isSupported()) {
    if (video.canPlayType(hlsType) !== '') return playDirectly(video, source.url, listener);
    listener.onUnsupported();
    return emptyStream;
  }
  const hls = new Hls({
    // A worker would have to be loaded from a blob, which the page's content security policy may
    // forbid.
    enableWorker: false,
    capLevelToPlayerSize: true,
    // Needed to tell a live stream from a recording.
    liveDurationInfinity: true,
    backBufferLength: 10,
    maxBufferLength: 15,
  });
  let recovered = false;
  hls.on(Events.ERROR, (_, { fatal, type }) => {
    if (!fatal) return;
    // After a damaged frame the decoder is restarted, but only once.
    if (type === ErrorTypes.MEDIA_ERROR && !recovered) {
      recovered = true;
      hls.recoverMediaError();
    } else {
      listener.onDown();
    }
  });
  hls.loadSource(source.url);
  hls.attachMedia(video);
  return {
    date: () => hls.playingDate,
    fetch: (on) => {
      if (!on) return hls.stopLoad();
      // A live stream continues at its newest frame, a recording where it stopped.
      if (hls.liveSyncPosition !== null && video.duration === Number.POSITIVE_INFINITY)
        video.currentTime = hls.liveSyncPosition;
      hls.startLoad(-1);
    },
    own: true,
    close: () => hls.destroy(),
  };
}

const emptyStream: Stream = { date: () => null, fetch: () => undefined, own: false, close: () => undefined };

function playDirectly(video: HTMLVideoElement, url: string, listener: StreamListener): Stream {
  video.addEventListener('error', listener.onDown);
  video.src = url;
  return {
    ...emptyStream,
    own: new URL(url, window.location.href).origin === window.location.origin,
    close: () => {
      video.removeEventListener('error', listener.onDown);
      // Only removing the source makes the browser close the connection.
      video.removeAttribute('src');
      video.load();
    },
  };
}
