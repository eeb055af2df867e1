import { type RefObject, useEffect, useRef } from 'react';

/** Handles the keys of an element; `handle` returns whether it used the key. */
export function useKeys(place: RefObject<HTMLElement | null>, handle: (key: string, shift: boolean) => boolean): void {
  const now = useRef(handle);
  now.current = handle;
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (now.current(event.key, event.shiftKey)) event.preventDefault();
    };
    element.addEventListener('keydown', onKey);
    return () => element.removeEventListener('keydown', onKey);
  }, [place]);
}
