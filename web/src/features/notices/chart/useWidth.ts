import { type RefCallback, useCallback, useState } from 'react';

/** Before the place has been measured. */
const assumed = 520;

/** The inner width in pixels of whatever element takes the ref. */
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
