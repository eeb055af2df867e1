import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { components } from '@/api/schema.gen';

export type Branding = components['schemas']['Branding'];
export type Tenant = components['schemas']['Tenant'];

interface TenantState {
  /**
   * The tenant of this host by the last answer; null when the host has none or the look-up failed.
   */
  tenant: Tenant | null;
}

/** The id that clients send until a look-up returns another, by the specification. */
const fallbackTenantId = 1;

export const useTenant = create<TenantState>()(
  persist(() => ({ tenant: null }) as TenantState, {
    name: 'tilth.tenant',
    merge: (stored, current) => ({ ...current, tenant: validTenant(stored) }),
  }),
);

/**
 * The stored value may be from another release or edited manually; anything invalid counts as no
 * tenant.
 */
function validTenant(stored: unknown): Tenant | null {
  const { id, name, diy } = (stored as { tenant?: Partial<Tenant> | null } | null)?.tenant ?? {};
  if (!Number.isInteger(id) || Number(id) < 1 || typeof name !== 'string') return null;
  return { id: Number(id), name, diy: typeof diy === 'object' ? diy : null };
}

export function setTenant(tenant: Tenant | null): void {
  useTenant.setState({ tenant });
}

export function tenantId(): number {
  return useTenant.getState().tenant?.id ?? fallbackTenantId;
}

/** The branding in use: only valid texts, and only addresses that are safe for pictures. */
export function useBranding(): Branding {
  const diy = useTenant((state) => state.tenant?.diy);
  return {
    title: nonEmptyText(diy?.title),
    content: nonEmptyText(diy?.content),
    logo: safePictureUrl(diy?.logo),
    background: safePictureUrl(diy?.background),
    favicon: safePictureUrl(diy?.favicon),
  };
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/**
 * The address if it is http(s) or relative to this site, else undefined: branding is data, never
 * markup or script.
 */
export function safePictureUrl(value: unknown): string | undefined {
  const address = nonEmptyText(value);
  if (!address) return undefined;
  try {
    const url = new URL(address, window.location.origin);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}
