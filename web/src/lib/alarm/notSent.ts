import i18next, { type TFunction } from 'i18next';
import { toast } from '../feedback/feedback';
import { useReachability } from '../offline/reachability';

/**
 * What is said to a person who acts on an open notice without a network. Nothing waits to be sent
 * later: unless somebody is on it already, others go on being told.
 */
export function notSentText(t: TFunction, acknowledged: boolean): string {
  return t(acknowledged ? 'inform.unsent.same' : 'inform.unsent.told');
}

/** Whether an action cannot be sent because there is no network, which is then said. */
export function refuseOffline(acknowledged: boolean): boolean {
  if (useReachability.getState().reach !== 'offline') return false;
  toast.warning(notSentText(i18next.t, acknowledged));
  return true;
}
