import { useEffect, useRef } from 'react';

/**
 * For the content of a dialog: moves the focus to the first control that the selector finds, once. The
 * dialog itself would focus its close button.
 */
export function useFirstFocus<T extends HTMLElement>(selector: string) {
  const content = useRef<T>(null);
  useEffect(() => content.current?.querySelector<HTMLElement>(selector)?.focus(), [selector]);
  return content;
}
