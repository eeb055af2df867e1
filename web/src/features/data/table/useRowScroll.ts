import { type RefObject, useLayoutEffect, useState } from 'react';

/** Assumed where there is no layout. */
const assumedHeight = 640;

/**
 * Which heights of a scrolled element's content are in view, rounded to whole steps, so that nothing
 * renders again between two steps.
 */
export function useRowScroll(frame: RefObject<HTMLElement | null>, step: number): { top: number; bottom: number } {
  const [view, setView] = useState({ top: 0, bottom: assumedHeight });
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    let pending = 0;
    const look = () => {
      pending = 0;
      const top = Math.floor(element.scrollTop / step) * step;
      const bottom = Math.ceil((element.scrollTop + (element.clientHeight || assumedHeight)) / step) * step;
      setView((before) => (before.top === top && before.bottom === bottom ? before : { top, bottom }));
    };
    const soon = () => {
      pending ||= requestAnimationFrame(look);
    };
    look();
    const observer = new ResizeObserver(soon);
    observer.observe(element);
    element.addEventListener('scroll', soon, { passive: true });
    return () => {
      cancelAnimationFrame(pending);
      observer.disconnect();
      element.removeEventListener('scroll', soon);
    };
  }, [frame, step]);
  return view;
}
