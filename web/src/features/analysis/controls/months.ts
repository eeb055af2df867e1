import { startOfDate, zonedDate } from '@/lib/format/zone';
import type { Span } from '../data/line';

/** How many months back a range can be chosen by name. */
const offered = 12;

/** The month that is a number of months after that of a time, by the tenant's calendar. */
function monthFrom(time: number, months: number): Span {
  const date = zonedDate(time);
  const [year, month] = [date.getFullYear(), date.getMonth() + months];
  return { from: startOfDate(year, month, 1), to: startOfDate(year, month + 1, 1) - 1 };
}

/** The last months that are over, the newest first. */
export const pastMonths = (now: number): Span[] =>
  Array.from({ length: offered }, (_, index) => monthFrom(now, -1 - index));

/** Whether a range is one whole month. */
export function isMonth({ from, to }: Span): boolean {
  const month = monthFrom(from, 0);
  return month.from === from && month.to === to;
}

/** The month before or after one; of the current one, what there is. */
export function nextMonth({ from }: Span, direction: 1 | -1, now: number): Span {
  const next = monthFrom(from, direction);
  if (next.from >= now) return monthFrom(from, 0);
  return { from: next.from, to: Math.min(next.to, now) };
}
