import { shownZone } from './format/zone';
import { currentLanguage } from './i18n';
import { tenantId } from './tenant';

/** What every call carries; the token where somebody is signed in. */
export function requestHeaders(token?: string | null): Record<string, string> {
  const zone = shownZone();
  return {
    'Accept-Language': currentLanguage(),
    ...(zone ? { 'Time-Zone': zone } : {}),
    'tenant-id': String(tenantId()),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  };
}
