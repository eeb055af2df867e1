/** A picture that a <video> element shows. */
export interface Source {
  kind: 'hls' | 'file';
  url: string;
}

export interface StreamListener {
  /** It will not play: the address does not answer, or what it answers is no picture. */
  onDown: () => void;
  /** This browser has no way to show it. */
  onUnsupported: () => void;
}

export interface Stream {
  /** The camera's own time of what is shown; null where the stream does not say. */
  date: () => Date | null;
  /** Goes on fetching, or stops while nobody looks. */
  fetch: (on: boolean) => void;
  /** Its pictures belong to this page: they may be drawn and saved. */
  own: boolean;
  close: () => void;
}

const hlsType = 'application/vnd.apple.mpegurl';

/** Lets a video element show a source; the library for HLS is fetched when there is one to play. */
export async function openStream(video: HTMLVideoElement, source: Source, listener: StreamListener): Promise<Stream> {
  if (source.kind === 'file') return playDirectly(video, source.url, listener);
  const { default: Hls, ErrorTypes, Events } = await import('hls.js/light');
  if (!Hls.isSupported()) {
    if (video.canPlayType(hlsType) !== '') return playDirectly(video, source.url, listener);
    listener.onUnsupported();
    return emptyStream;
  }
  const hls = new Hls({
    // A worker of its own would have to come from a blob, which the page's policy need not allow.
    enableWorker: false,
    capLevelToPlayerSize: true,
    // Only then can a live picture be told from a recorded one.
    liveDurationInfinity: true,
    backBufferLength: 10,
    maxBufferLength: 15,
  });
  let mended = false;
  hls.on(Events.ERROR, (_, { fatal, type }) => {
    if (!fatal) return;
    // A broken piece of picture: the decoder begins anew, once.
    if (type === ErrorTypes.MEDIA_ERROR && !mended) {
      mended = true;
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
      // What is live goes on at its newest, what is recorded where it stood.
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
      // Only an empty address makes the browser let go of the connection.
      video.removeAttribute('src');
      video.load();
    },
  };
}
