import { type FocusEvent, type RefObject, useCallback, useEffect } from 'react';

/**
 * Closes a panel that opens below its button: on a press outside, when the focus moves on to the
 * page behind, and by Escape, which returns the focus to the button. `place` contains the button,
 * as its first one, and the panel.
 */
export function useDismiss(place: RefObject<HTMLElement | null>, open: boolean, close: () => void) {
  const toButton = useCallback(() => place.current?.querySelector('button')?.focus(), [place]);

  useEffect(() => {
    if (!open) return;
    const outside = (event: Event) => {
      if (!place.current?.contains(event.target as Node)) close();
    };
    // Listens on the whole window: after a click on text no element has the focus.
    const leave = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      close();
      toButton();
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('keydown', leave);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('keydown', leave);
    };
  }, [place, open, close, toButton]);

  // Leaving the window has no related target.
  const onBlur = (event: FocusEvent) => {
    const to = event.relatedTarget as Node | null;
    if (open && to && !place.current?.contains(to)) close();
  };
  return { toButton, onBlur };
}
