import { replaceEqualDeep } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** The same object as before while its content is the same, so that what depends on it stays. */
export function useUnchanged<T>(value: T): T {
  const before = useRef(value);
  const next = replaceEqualDeep(before.current, value);
  useEffect(() => {
    before.current = next;
  });
  return next;
}
