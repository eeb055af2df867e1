import type { Device } from './types';

type ContactTimes = Pick<Device, 'lastContact' | 'offlineTime'> & Partial<Pick<Device, 'offlineAfter'>>;

/** So late a server may notice that a device is silent. */
const detectionSlackMs = 60_000;

/**
 * Since when an offline device is offline: since it was heard last. It was taken for offline later, by as long as its model may be
 * silent; counted from there, "Offline 10 h" would stand beside "last contact 11 h ago". Only where something else than messages
 * vouched for it, its open connection, it is since that ended. Undefined: nobody ever heard of it.
 */
export function offlineSince({ lastContact, offlineTime, offlineAfter = 0 }: ContactTimes): number | undefined {
  if (lastContact === undefined || offlineTime === undefined) return lastContact ?? offlineTime;
  const connectedUntil = offlineTime - offlineAfter;
  return connectedUntil > lastContact + detectionSlackMs ? connectedUntil : lastContact;
}
