import { useEffect, useState } from 'react';

const defaultPauseMs = 250;

/**
 * Follows the typed text once it has not changed for `pauseMs`. An empty text takes effect at once.
 */
export function useDebouncedText(value: string, pauseMs = defaultPauseMs): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (value === '') {
      setSettled('');
      return;
    }
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
