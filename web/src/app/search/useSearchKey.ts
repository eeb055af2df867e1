import { useEffect, useRef } from 'react';

/** Calls `open` at Ctrl-K, or Command-K, wherever the focus is. */
export function useSearchKey(open: () => void): void {
  const now = useRef(open);
  now.current = open;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      // The key's place, too: on a Russian keyboard it is another letter.
      if (event.key.toLowerCase() !== 'k' && event.code !== 'KeyK') return;
      event.preventDefault(); // browsers have a search of their own
      now.current();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
