import { type RefCallback, useCallback, useState } from 'react';

export interface Size {
  width: number;
  height: number;
}

/** Assumed before the first measurement. */
const assumed: Size = { width: 800, height: 480 };

/** The inner size, in pixels, of the element that takes the ref. */
export function useSize(): [RefCallback<HTMLElement>, Size] {
  const [size, setSize] = useState(assumed);
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const measure = () => {
      const next = { width: element.clientWidth || assumed.width, height: element.clientHeight || assumed.height };
      setSize((before) => (before.width === next.width && before.height === next.height ? before : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}
