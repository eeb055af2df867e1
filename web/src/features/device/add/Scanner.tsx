import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Note } from '@/ui/Note';
import css from './AddDialog.module.css';
import { barcodeDetector } from './useMayScan';

type Failure = 'device.code.denied' | 'device.code.noCamera';

/** Looks through the camera until it sees a QR code; the camera is off as soon as this is gone. */
export function Scanner({ onText }: { onText: (text: string) => void }) {
  const { t } = useTranslation();
  const video = useRef<HTMLVideoElement>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const found = useRef(onText);
  useEffect(() => {
    found.current = onText;
  });
  useEffect(() => {
    let stopped = false;
    let stream: MediaStream | undefined;
    const stop = () => {
      stopped = true;
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    const scan = async () => {
      const Detector = barcodeDetector();
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
      // The user may have closed the dialog while the browser asked.
      if (stopped || !Detector || !video.current) return stop();
      video.current.srcObject = stream;
      await video.current.play();
      const detector = new Detector({ formats: ['qr_code'] });
      while (!stopped) {
        await nextPicture(video.current);
        const [code] = stopped ? [] : await detector.detect(video.current);
        if (!code || stopped) continue;
        stop();
        found.current(code.rawValue);
      }
    };
    scan().catch((error: unknown) => {
      if (stopped) return;
      stop();
      setFailure((error as Error).name === 'NotAllowedError' ? 'device.code.denied' : 'device.code.noCamera');
    });
    return stop;
  }, []);
  if (failure) return <Note tone="wrong">{t(failure)}</Note>;
  return (
    <div className={css.scanner}>
      <video ref={video} className={css.video} muted playsInline />
      <p className={css.used} role="status">
        {t('device.code.hold')}
      </p>
    </div>
  );
}

/** Waits for the camera's next picture; browsers without such an event draw often enough. */
function nextPicture(video: HTMLVideoElement): Promise<unknown> {
  return new Promise((seen) => {
    if ('requestVideoFrameCallback' in video) video.requestVideoFrameCallback(seen);
    else requestAnimationFrame(seen);
  });
}
