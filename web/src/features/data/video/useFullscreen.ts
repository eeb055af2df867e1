import { type RefObject, useEffect, useState } from 'react';

/** On iPhones, Safari can show only the video element itself in full screen. */
interface PhoneVideo extends HTMLVideoElement {
  webkitEnterFullscreen?: () => void;
}

/** Shows the frame in full screen if the browser supports it, otherwise only the video. */
export function useFullscreen(frame: RefObject<HTMLElement | null>, video: RefObject<PhoneVideo | null>) {
  const [on, setOn] = useState(false);
  const [alone, setAlone] = useState(false);
  useEffect(() => {
    setAlone(video.current?.webkitEnterFullscreen !== undefined);
    const changed = () => setOn(document.fullscreenElement !== null && document.fullscreenElement === frame.current);
    document.addEventListener('fullscreenchange', changed);
    return () => document.removeEventListener('fullscreenchange', changed);
  }, [frame, video]);

  const toggle = () => {
    // If the browser refuses, nothing changes and no error is shown.
    if (on) document.exitFullscreen().catch(() => undefined);
    else if (document.fullscreenEnabled) frame.current?.requestFullscreen().catch(() => undefined);
    else video.current?.webkitEnterFullscreen?.();
  };
  return { on, possible: document.fullscreenEnabled || alone, toggle };
}
