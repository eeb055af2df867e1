import type { LiveNotice } from '@/lib/alarm/types';
import { foldForSearch } from '@/lib/text/foldForSearch';
import { type NoticesSearch, namesOf } from './search';

/** Whether the list for a filter would contain a notice. */
export function matchesFilter(notice: LiveNotice, { q = '', devices, status, level }: NoticesSearch): boolean {
  const names = namesOf(devices);
  return (
    foldForSearch(notice.title).includes(foldForSearch(q)) &&
    (names.length === 0 || names.includes(notice.deviceName)) &&
    (status === undefined || status === notice.resolveStatus) &&
    (level === undefined || level === notice.alarmLevel)
  );
}
