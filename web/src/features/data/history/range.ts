import { midnight, nextMidnight, startOfDay } from '@/lib/format/date';
import { startOfDate, zonedDate } from '@/lib/format/zone';

/** From and to, epoch milliseconds, both inclusive. */
export interface Span {
  from: number;
  to: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** The maximum range: 30 days. */
export const maxRangeMs = 2_592_000_000;

export const shortcuts = ['day', 'week', 'month'] as const;
export const calendarShortcuts = ['today', 'yesterday', 'thisWeek', 'lastWeek', 'thisMonth'] as const;
export type Shortcut = (typeof shortcuts)[number] | (typeof calendarShortcuts)[number];

/**
 * `weekStart` is the language's first day of the week, 1 Monday or 7 Sunday. No range extends
 * beyond `now`.
 */
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
      const first = startOfDate(date.getFullYear(), date.getMonth(), 1);
      // On the 31st, the first of the month is more than 30 days ago.
      return { from: Math.max(first, now - maxRangeMs), to: now };
    }
  }
}

export type RangeProblem =
  | 'history.rangeRequired'
  | 'history.rangeTooLong'
  | 'history.rangeOrder'
  | 'history.rangeFuture';

/**
 * Validates a chosen range: the range, or why it is invalid. `clear` tells the caller to clear a
 * range that is too long.
 */
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

/** Whether a time is in the future. The current minute is not: its end counts as now. */
export function isFuture(time: number, now: number): boolean {
  return time >= Math.floor(now / minuteMs + 1) * minuteMs;
}

/** Whether a day's first moment is in the future. */
export function isFutureDay(time: number, now: number): boolean {
  return startOfDay(time) >= nextMidnight(now);
}

/** The hours of a day that are in the future and, for the current hour, the minutes. */
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

/** The span of the same length just before. */
export function spanBefore({ from, to }: Span): Span {
  return { from: from - (to - from), to: from };
}
