import { midnight } from '@/lib/format/date';
import { fromZonedParts, zonedDate } from '@/lib/format/zone';

const hour = 3_600_000;
const maxMuteMs = 30 * 24 * hour;
const morningHour = 7;

/** The time until which each choice mutes a rule, epoch milliseconds. */
export function muteTimes(now: number) {
  const tomorrow = zonedDate(midnight(now, 1));
  return {
    hour: now + hour,
    eight: now + 8 * hour,
    // Calculated by the calendar: a night in which the clocks change does not last 24 hours.
    morning: fromZonedParts(tomorrow.getFullYear(), tomorrow.getMonth(), tomorrow.getDate(), morningHour, 0),
  };
}

export type MuteChoice = keyof ReturnType<typeof muteTimes> | 'other';

/** The time in a field of date and time; null if it is not a time within the next thirty days. */
export function parseOtherTime(text: string, now: number): number | null {
  const match = /^(\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(text);
  if (!match) return null;
  const [year, month, day, hours, minutes] = match.slice(1).map(Number) as [number, number, number, number, number];
  const time = fromZonedParts(year, month - 1, day, hours, minutes);
  return time > now && time <= now + maxMuteMs ? time : null;
}

/** A time in the format of a `datetime-local` field. */
export function fieldTime(time: number): string {
  const date = zonedDate(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
