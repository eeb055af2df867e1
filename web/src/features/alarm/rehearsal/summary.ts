import type { Rehearsal, RehearsedNotice } from '@/lib/alarm/types';

export function durationOf({ startTime, endTime }: RehearsedNotice, until: number): number {
  return Math.max(0, (endTime ?? until) - startTime);
}

/** The longest notice; a notice that is still open lasts until the rehearsal's end. */
export function longestOf({ notices, endTime }: Rehearsal): { notice: RehearsedNotice; duration: number } | undefined {
  let longest: { notice: RehearsedNotice; duration: number } | undefined;
  for (const notice of notices) {
    const duration = durationOf(notice, endTime);
    if (!longest || duration > longest.duration) longest = { notice, duration };
  }
  return longest;
}

/** The indices of the days on which a notice was open. */
export function alarmDays({ days, notices, endTime }: Rehearsal): ReadonlySet<number> {
  const marked = new Set<number>();
  days.forEach(({ day }, i) => {
    // A day lasts until the next midnight, which is not always 24 hours later. For the last day,
    // and before a gap, 25 hours are assumed.
    const next = Math.min(days[i + 1]?.day ?? Number.POSITIVE_INFINITY, day + 25 * 3_600_000);
    if (notices.some((notice) => notice.startTime >= day && notice.startTime < Math.min(next, endTime))) marked.add(i);
  });
  return marked;
}
