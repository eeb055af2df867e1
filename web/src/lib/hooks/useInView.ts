import { type RefObject, useEffect, useState } from 'react';

/**
 * Whether part of an element has been visible in the window for so many milliseconds: an element
 * that the user scrolls past does not count.
 */
export function useInView(element: RefObject<Element | null>, afterMs = 0): boolean {
  const [inView, setInView] = useState(false);
  useEffect(() => {
    const watched = element.current;
    if (!watched) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver((entries) => {
      clearTimeout(timer);
      if (entries.at(-1)?.isIntersecting) timer = setTimeout(() => setInView(true), afterMs);
      else setInView(false);
    });
    observer.observe(watched);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [element, afterMs]);
  return inView;
}
