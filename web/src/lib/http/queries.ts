import { queryOptions } from '@tanstack/react-query';
import { setTenantZone } from '../format/zone';
import { hasNetwork } from '../offline/reachability';
import { clearTenant, setDefaultTenantId, setTenant } from '../tenant/tenant';
import { api } from './api';

/** Queries that several features share; each feature keeps its own beside it. */

export const overviewQuery = () =>
  queryOptions({
    queryKey: ['overview'],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/home/overview-statistics', { signal }),
    // The page that shows the numbers has a banner for the failure.
    meta: { banner: true, refetchOn: ['device', 'scene'] },
  });

export const unreadCountQuery = () =>
  queryOptions({
    queryKey: ['messages', 'unread'],
    queryFn: ({ signal }) => api.get('/admin-api/client/pc/notify-message/get-unread-count', { signal }),
  });

export const userQuery = () =>
  queryOptions({
    queryKey: ['user'],
    queryFn: async ({ signal }) => {
      const user = await api.get('/app-api/member/user/get', { signal });
      setTenantZone(user.timeZone);
      return user;
    },
    staleTime: 5 * 60_000,
    // The role decides what the pages offer.
    meta: { refetchOn: ['me', 'reset'] },
  });

export const consoleSettingsQuery = () =>
  queryOptions({
    queryKey: ['console-settings'],
    queryFn: ({ signal }) => api.get('/admin-api/system/console/settings', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * The tenant of this host, null when it has none. A look-up that fails clears the stored one, so
 * that no stale branding stays; without a network there was no look-up.
 */
export const tenantQuery = () =>
  queryOptions({
    queryKey: ['tenant', window.location.host],
    queryFn: async ({ signal }) => {
      try {
        const tenant = await api.find('/admin-api/system/tenant/get-by-website', {
          query: { website: window.location.host },
          signal,
        });
        setTenant(tenant);
        return tenant;
      } catch (error) {
        if (!signal.aborted && hasNetwork()) clearTenant();
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The id of the installation's default tenant, null when there is none of that name. */
export const defaultTenantQuery = (name: string) =>
  queryOptions({
    queryKey: ['default-tenant', name],
    queryFn: async ({ signal }) => {
      try {
        const id = await api.find('/admin-api/system/tenant/get-id-by-name', { query: { name }, signal });
        setDefaultTenantId(id);
        return id;
      } catch (error) {
        if (!signal.aborted && hasNetwork()) clearTenant();
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
