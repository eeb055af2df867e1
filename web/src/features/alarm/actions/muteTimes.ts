import { midnight } from '@/lib/format/date';
import { fromZonedParts, zonedDate } from '@/lib/format/zone';

const hour = 3_600_000;
const maxMuteMs = 30 * 24 * hour;
const morningHour = 7;

/** Until when a rule is muted by each choice, epoch milliseconds. */
export function muteTimes(now: number) {
  const tomorrow = zonedDate(midnight(now, 1));
  return {
    hour: now + hour,
    eight: now + 8 * hour,
    // By the calendar: a night with a change of the clocks is no 24 hours.
    morning: fromZonedParts(tomorrow.getFullYear(), tomorrow.getMonth(), tomorrow.getDate(), morningHour),
  };
}

export type MuteChoice = keyof ReturnType<typeof muteTimes> | 'other';

/** What a field of date and time holds; null when that is no time within the next thirty days. */
export function parseOtherTime(text: string, now: number): number | null {
  const match = /^(\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(text);
  if (!match) return null;
  const [year, month, day, hours, minutes] = match.slice(1).map(Number) as [number, number, number, number, number];
  const time = fromZonedParts(year, month - 1, day, hours, minutes);
  return time > now && time <= now + maxMuteMs ? time : null;
}

/** A time as such a field wants it. */
export function fieldTime(time: number): string {
  const date = zonedDate(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
