import { currentLanguage } from './i18n';
import { tenantId } from './tenant';

/** What every call carries; the token where somebody is signed in. */
export function requestHeaders(token?: string | null): Record<string, string> {
  const zone = timeZone();
  return {
    'Accept-Language': currentLanguage(),
    ...(zone ? { 'Time-Zone': zone } : {}),
    'tenant-id': String(tenantId()),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  };
}

/** Undefined on machines that do not know where they are; the server then takes the tenant's zone and would refuse an unknown one. */
function timeZone(): string | undefined {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  return zone && zone !== 'Etc/Unknown' ? zone : undefined;
}
