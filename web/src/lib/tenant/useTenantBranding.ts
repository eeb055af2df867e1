import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { tenantQuery } from '../http/queries';
import { useBranding } from './tenant';

/** Keeps the tenant's branding current and its icon in the browser's tab. */
export function useTenantBranding(): void {
  useQuery(tenantQuery());
  useFavicon(useBranding().favicon);
}

function useFavicon(address: string | undefined): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (!link || !address) return;
    const { href, type } = link;
    link.href = address;
    // The tenant's icon may be of another type than the default; the browser detects it.
    link.removeAttribute('type');
    return () => {
      link.href = href;
      link.type = type;
    };
  }, [address]);
}
