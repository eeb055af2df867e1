import { displayZone } from '../format/zone';
import { currentLanguage } from '../i18n/i18n';
import { tenantId } from '../tenant/tenant';

/** The headers of every call, with the token if a user is signed in. */
export function requestHeaders(token?: string | null): Record<string, string> {
  const zone = displayZone();
  return {
    'Accept-Language': currentLanguage(),
    ...(zone ? { 'Time-Zone': zone } : {}),
    'tenant-id': String(tenantId()),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  };
}
