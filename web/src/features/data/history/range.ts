import { midnight, nextMidnight, startOfDay } from '@/lib/format/date';
import { fromZonedParts, zonedDate } from '@/lib/format/zone';

/** From and to, epoch milliseconds, both included. */
export interface Span {
  from: number;
  to: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** The longest range that may be asked for: 30 days. */
export const maxRangeMs = 2_592_000_000;

export const shortcuts = ['day', 'week', 'month'] as const;
export const calendarShortcuts = ['today', 'yesterday', 'thisWeek', 'lastWeek', 'thisMonth'] as const;
export type Shortcut = (typeof shortcuts)[number] | (typeof calendarShortcuts)[number];

/** `weekStart` is the first day of the week of the language, 1 Monday or 7 Sunday. Nothing reaches beyond `now`. */
export function spanOf(shortcut: Shortcut, now: number, weekStart = 1): Span {
  const sinceWeekStart = (zonedDate(now).getDay() - weekStart + 7) % 7;
  switch (shortcut) {
    case 'day':
      return { from: now - dayMs, to: now };
    case 'week':
      return { from: now - 7 * dayMs, to: now };
    case 'month':
      return { from: now - maxRangeMs, to: now };
    case 'today':
      return { from: startOfDay(now), to: now };
    case 'yesterday':
      return { from: midnight(now, -1), to: startOfDay(now) - 1 };
    case 'thisWeek':
      return { from: midnight(now, -sinceWeekStart), to: now };
    case 'lastWeek':
      return { from: midnight(now, -sinceWeekStart - 7), to: midnight(now, -sinceWeekStart) - 1 };
    case 'thisMonth': {
      const date = zonedDate(now);
      const first = fromZonedParts(date.getFullYear(), date.getMonth(), 1);
      // On the 31st the first is more than 30 days ago.
      return { from: Math.max(first, now - maxRangeMs), to: now };
    }
  }
}

export type RangeProblem =
  | 'history.rangeRequired'
  | 'history.rangeTooLong'
  | 'history.rangeOrder'
  | 'history.rangeFuture';

/** What a person chose, judged: a range, or why it is none. Too long a range is cleared by whoever asks. */
export function validateRange(
  from: number | null,
  to: number | null,
  now: number,
): { span: Span } | { error: RangeProblem; clear: boolean } {
  if (from === null || to === null) return { error: 'history.rangeRequired', clear: false };
  if (isFuture(from, now) || isFuture(to, now)) return { error: 'history.rangeFuture', clear: false };
  const end = Math.min(to, now);
  if (from > end) return { error: 'history.rangeOrder', clear: false };
  if (end - from > maxRangeMs) return { error: 'history.rangeTooLong', clear: true };
  return { span: { from, to: end } };
}

/** Whether a time is still to come. The minute that runs is not: its end stands for now. */
export function isFuture(time: number, now: number): boolean {
  return time >= Math.floor(now / minuteMs + 1) * minuteMs;
}

/** A day whose first moment has not come yet. */
export function isFutureDay(time: number, now: number): boolean {
  return startOfDay(time) >= nextMidnight(now);
}

/** The hours and, in the hour of now, the minutes of a day that have not come yet. */
export function futureTimes(day: number, now: number): { hours: number[]; minutes: (hour: number) => number[] } {
  if (startOfDay(day) < startOfDay(now)) return { hours: [], minutes: () => [] };
  const date = zonedDate(now);
  const after = (first: number, count: number) => Array.from({ length: count - first }, (_, i) => first + i);
  const hours = after(date.getHours() + 1, 24);
  return {
    hours,
    minutes: (hour) => {
      if (hour < date.getHours()) return [];
      return hour === date.getHours() ? after(date.getMinutes() + 1, 60) : after(0, 60);
    },
  };
}

/** As long a time just before. */
export function spanBefore({ from, to }: Span): Span {
  return { from: from - (to - from), to: from };
}
