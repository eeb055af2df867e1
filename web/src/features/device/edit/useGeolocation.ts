import { useEffect, useRef, useState } from 'react';
import type { Place } from '@/lib/map/place';

const timeoutMs = 15_000;

type Failure = 'device.form.locateDenied' | 'device.form.locateFail';

/** Asks the browser for this machine's position. Browsers allow that only on secure pages. */
export function useGeolocation(onPlace: (place: Place) => void) {
  const [looking, setLooking] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const unmounted = useRef(false);
  useEffect(() => {
    unmounted.current = false;
    return () => {
      unmounted.current = true;
    };
  }, []);

  const look = () => {
    setLooking(true);
    setFailure(null);
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => {
        if (unmounted.current) return;
        setLooking(false);
        onPlace({ latitude, longitude });
      },
      ({ code, PERMISSION_DENIED }) => {
        if (unmounted.current) return;
        setLooking(false);
        setFailure(code === PERMISSION_DENIED ? 'device.form.locateDenied' : 'device.form.locateFail');
      },
      { enableHighAccuracy: true, timeout: timeoutMs },
    );
  };
  return { possible: window.isSecureContext && 'geolocation' in navigator, looking, failure, look };
}
