import { type RefObject, useLayoutEffect, useState } from 'react';

/**
 * The part of an element that is in the window, rounded to whole steps, so that nothing renders
 * again between two steps.
 */
export interface View {
  width: number;
  top: number;
  bottom: number;
}

/** Assumed before the first measurement and where there is no layout. */
const assumedSize = { width: 872, height: 900 };

/**
 * Follows the window's scrolling and measures the element against it. `step` is the height of a row
 * in pixels.
 */
export function useScrollWindow(element: RefObject<HTMLElement | null>, step: number): View {
  const [view, setView] = useState<View>({ width: assumedSize.width, top: 0, bottom: assumedSize.height });
  useLayoutEffect(() => {
    const measured = element.current;
    if (!measured) return;
    let frame = 0;
    const look = () => {
      frame = 0;
      const box = measured.getBoundingClientRect();
      const height = window.innerHeight || assumedSize.height;
      const top = Math.max(0, Math.floor(-box.top / step) * step);
      const bottom = Math.max(top, Math.ceil((height - box.top) / step) * step);
      const width = measured.clientWidth || assumedSize.width;
      setView((before) =>
        before.width === width && before.top === top && before.bottom === bottom ? before : { width, top, bottom },
      );
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    const observer = new ResizeObserver(soon);
    observer.observe(measured);
    window.addEventListener('scroll', soon, { passive: true });
    window.addEventListener('resize', soon);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      window.removeEventListener('scroll', soon);
      window.removeEventListener('resize', soon);
    };
  }, [element, step]);
  return view;
}
