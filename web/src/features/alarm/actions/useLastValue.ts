import { useState } from 'react';

/** What was last there: a dialog's words stay while it closes. */
export function useLastValue<T>(value: T | null): T | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}
