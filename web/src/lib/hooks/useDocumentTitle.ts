import { useEffect } from 'react';
import { useBranding } from '../tenant/tenant';

/** Names the page in the browser's tab, and whose console it is: the tenant's where it has a title of its own. */
export function useDocumentTitle(title: string): void {
  const brand = useBranding().title ?? 'Tilth';
  useEffect(() => {
    document.title = `${title} · ${brand}`;
  }, [title, brand]);
}
