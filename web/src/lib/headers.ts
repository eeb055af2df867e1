import { currentLanguage } from './i18n';
import { tenantId } from './tenant';

/** What every call carries; the token where somebody is signed in. */
export function requestHeaders(token?: string | null): Record<string, string> {
  return {
    'Accept-Language': currentLanguage(),
    'Time-Zone': Intl.DateTimeFormat().resolvedOptions().timeZone,
    'tenant-id': String(tenantId()),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  };
}
