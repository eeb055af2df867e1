import { type RefCallback, useCallback, useState } from 'react';

/** Assumed before the first measurement. */
const assumed = 520;

/** The inner width, in pixels, of the element that takes the ref. */
export function useWidth(): [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(assumed);
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const measure = () => setWidth(element.clientWidth || assumed);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
