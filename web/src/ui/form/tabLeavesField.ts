import type { KeyboardEvent } from 'react';

/**
 * Handles keys in an open multiple-choice list: Tab moves to the next field, as everywhere else.
 * antd's own handler would select or deselect the highlighted option.
 */
export function tabLeavesField(close: () => void) {
  return (event: KeyboardEvent) => {
    if (event.key !== 'Tab') return;
    event.stopPropagation();
    close();
  };
}
