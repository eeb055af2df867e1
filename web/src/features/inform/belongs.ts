import type { LiveNotice } from '@/lib/alarm/types';
import { fold } from '@/lib/fold';
import { type InformSearch, namesOf } from './search';

/** Whether the list that is asked for would hold a notice. */
export function belongs(notice: LiveNotice, { q = '', devices, status, level }: InformSearch): boolean {
  const names = namesOf(devices);
  return (
    fold(notice.title).includes(fold(q)) &&
    (names.length === 0 || names.includes(notice.deviceName)) &&
    (status === undefined || status === notice.resolveStatus) &&
    (level === undefined || level === notice.alarmLevel)
  );
}
