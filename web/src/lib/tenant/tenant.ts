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
  /** The id of the default tenant, once somebody has signed in where the host has no tenant. */
  defaultId: number | null;
}

/** The id that clients send until a look-up returns another, by the specification. */
const fallbackTenantId = 1;

export const useTenant = create<TenantState>()(
  persist(() => ({ tenant: null, defaultId: null }) as TenantState, {
    name: 'tilth.tenant',
    merge: (stored, current) => ({ ...current, tenant: validTenant(stored), defaultId: validDefaultId(stored) }),
  }),
);

/**
 * The stored value may be from another release or edited manually; anything invalid counts as no
 * tenant.
 */
function validTenant(stored: unknown): Tenant | null {
  const { id, name, diy } = (stored as { tenant?: Partial<Tenant> | null } | null)?.tenant ?? {};
  if (!isId(id) || typeof name !== 'string') return null;
  return { id, name, diy: typeof diy === 'object' ? diy : null };
}

function validDefaultId(stored: unknown): number | null {
  const id = (stored as Partial<TenantState> | null)?.defaultId;
  return isId(id) ? id : null;
}

const isId = (id: unknown): id is number => Number.isInteger(id) && Number(id) >= 1;

export function setTenant(tenant: Tenant | null): void {
  useTenant.setState({ tenant });
}

export function setDefaultTenantId(defaultId: number | null): void {
  useTenant.setState({ defaultId });
}

/** A look-up has failed: nothing that an earlier one found is still known to be true. */
export function clearTenant(): void {
  useTenant.setState({ tenant: null, defaultId: null });
}

export function tenantId(): number {
  const { tenant, defaultId } = useTenant.getState();
  return tenant?.id ?? defaultId ?? fallbackTenantId;
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
