import { type RefObject, useEffect, useState } from 'react';

/** Whether any of an element is to be seen in the window, and has been for so many milliseconds: what is scrolled past is not looked at. */
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
