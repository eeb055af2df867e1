import { useCallback, useSyncExternalStore } from 'react';

/** Whether a media query holds, kept current. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}

/** Below antd's screenMD: the sidebar becomes a drawer, and tables become lists of cards. */
export const phoneQuery = '(max-width: 767px)';
/** The pointer is a finger, not a mouse. */
export const touchQuery = '(pointer: coarse)';
/** The list of devices beside a page becomes a drawer. */
export const noSideColumnQuery = '(max-width: 1199px)';
/** Wide enough for a list and what is chosen of it, side by side (`ui/Panes`). */
export const panesQuery = '(min-width: 1280px)';
/** The user wants reduced motion. */
export const reducedMotionQuery = '(prefers-reduced-motion: reduce)';
