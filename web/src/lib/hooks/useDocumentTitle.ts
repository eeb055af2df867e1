import { useEffect } from 'react';
import { useBranding } from '../tenant/tenant';

/**
 * Sets the title of the browser's tab: the page and the console's name, which is the tenant's title
 * where it has one.
 */
export function useDocumentTitle(title: string): void {
  const brand = useBranding().title ?? 'Tilth';
  useEffect(() => {
    document.title = `${title} · ${brand}`;
  }, [title, brand]);
}
