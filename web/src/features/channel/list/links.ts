import type { MouseEvent } from 'react';

/** Where a channel leads in a tab of its own. */
export function addressOf(id: number): string {
  return `/notification?channel=${id}`;
}

/** A plain click stays on the page; any other does what the browser does with a link. */
export function onPlainClick(act: () => void) {
  return (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    act();
  };
}
