import { type RefObject, useEffect, useState } from 'react';

/** Safari on a phone lets only the video itself fill the screen. */
interface PhoneVideo extends HTMLVideoElement {
  webkitEnterFullscreen?: () => void;
}

/** The frame fills the screen where the browser can do that, else the video alone. */
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
    // Refused, it stays as it is: nothing to tell of.
    if (on) document.exitFullscreen().catch(() => undefined);
    else if (document.fullscreenEnabled) frame.current?.requestFullscreen().catch(() => undefined);
    else video.current?.webkitEnterFullscreen?.();
  };
  return { on, possible: document.fullscreenEnabled || alone, toggle };
}
