import { useSyncExternalStore } from 'react';

/** Whether a media query holds, kept current. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    () => window.matchMedia(query).matches,
  );
}

/** Below antd's screenMD: the sidebar is a drawer and tables are lists of cards. */
export const phone = '(max-width: 767px)';
/** The sidebar shows icons only. */
export const narrow = '(min-width: 768px) and (max-width: 1199px)';
