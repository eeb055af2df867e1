import { useEffect, useState } from 'react';

const defaultPauseMs = 250;

/** A text that follows what is typed once it has stood still for so many milliseconds. Emptied, it follows at once. */
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
