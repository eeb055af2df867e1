const hour = 3_600_000;
const mostAhead = 30 * 24 * hour;
const morning = 7;

/** Until when a rule is muted by each choice, epoch milliseconds. */
export function muteTimes(now: number) {
  const day = new Date(now);
  return {
    hour: now + hour,
    eight: now + 8 * hour,
    // By the calendar: a night with a change of the clocks is no 24 hours.
    morning: new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, morning).getTime(),
  };
}

export type MuteChoice = keyof ReturnType<typeof muteTimes> | 'other';

/** What a field of date and time holds; null when that is no time within the next thirty days. */
export function otherTime(text: string, now: number): number | null {
  const time = text === '' ? Number.NaN : new Date(text).getTime();
  return Number.isFinite(time) && time > now && time <= now + mostAhead ? time : null;
}

/** A time as such a field wants it. */
export function fieldText(time: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
