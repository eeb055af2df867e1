import type { MouseEvent } from 'react';

/** The address that opens a channel in a tab of its own. */
export function addressOf(id: number): string {
  return `/notification?channel=${id}`;
}

/** Handles a plain click within the page; the browser handles any other click on the link. */
export function onPlainClick(act: () => void) {
  return (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    act();
  };
}
