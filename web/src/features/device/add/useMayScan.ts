import { useEffect, useState } from 'react';

/** The browser's own reader of bar codes, which not every browser has. */
interface BarcodeDetectorClass {
  new (options: { formats: string[] }): { detect: (source: HTMLVideoElement) => Promise<{ rawValue: string }[]> };
  getSupportedFormats: () => Promise<string[]>;
}

export function barcodeDetector(): BarcodeDetectorClass | undefined {
  return (window as { BarcodeDetector?: BarcodeDetectorClass }).BarcodeDetector;
}

async function maySee(): Promise<boolean> {
  const detector = barcodeDetector();
  // Browsers give cameras to secure pages only.
  if (!window.isSecureContext || !detector || !navigator.mediaDevices) return false;
  const [formats, devices] = await Promise.all([
    detector.getSupportedFormats(),
    navigator.mediaDevices.enumerateDevices(),
  ]);
  return formats.includes('qr_code') && devices.some(({ kind }) => kind === 'videoinput');
}

/** Whether this browser reads QR codes with a camera. */
export function useMayScan(): boolean {
  const [may, setMay] = useState(false);
  useEffect(() => {
    let left = false;
    maySee().then(
      (seen) => {
        if (!left) setMay(seen);
      },
      // A browser that does not tell has no camera for this page.
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, []);
  return may;
}
