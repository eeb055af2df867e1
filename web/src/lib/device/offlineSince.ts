import type { Device } from './types';

type ContactTimes = Pick<Device, 'lastContact' | 'offlineTime'> & Partial<Pick<Device, 'offlineAfter'>>;

/** The longest delay with which the server notices that a device is silent. */
const detectionSlackMs = 60_000;

/**
 * Since when an offline device is offline: its last contact. The server marks a device offline
 * later, after its model's permitted silence; counted from then, "Offline 10 h" would appear beside
 * "last contact 11 h ago". If the device's open connection, not its messages, kept it online, it is
 * offline since that connection ended. Undefined: the device was never heard from.
 */
export function offlineSince({ lastContact, offlineTime, offlineAfter = 0 }: ContactTimes): number | undefined {
  if (lastContact === undefined || offlineTime === undefined) return lastContact ?? offlineTime;
  const connectedUntil = offlineTime - offlineAfter;
  return connectedUntil > lastContact + detectionSlackMs ? connectedUntil : lastContact;
}
