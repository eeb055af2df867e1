import { displayZone } from '../format/zone';
import { currentLanguage } from '../i18n/i18n';
import { tenantId } from '../tenant/tenant';

/** What every call carries; the token where somebody is signed in. */
export function requestHeaders(token?: string | null): Record<string, string> {
  const zone = displayZone();
  return {
    'Accept-Language': currentLanguage(),
    ...(zone ? { 'Time-Zone': zone } : {}),
    'tenant-id': String(tenantId()),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  };
}
