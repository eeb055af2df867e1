import type { KeyboardEvent } from 'react';

/**
 * What an open list of several choices does with a key in its box: Tab goes to the next field, as everywhere else. antd's own would choose,
 * or give up, what the list happens to point at.
 */
export function tabLeavesField(close: () => void) {
  return (event: KeyboardEvent) => {
    if (event.key !== 'Tab') return;
    event.stopPropagation();
    close();
  };
}
