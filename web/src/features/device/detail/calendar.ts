import { midnight } from '@/lib/format/date';
import { zonedDate } from '@/lib/format/zone';
import type { CoverageDay } from '../queries';

/** One day of the strip. */
export interface Day {
  /** As the server names it: 2026-11-21. */
  name: string;
  /** Its midnight, epoch milliseconds. */
  time: number;
  /** Its week's column, counted from the left, and its row within the week. */
  column: number;
  row: number;
  /** The day's readings; undefined if there are none. */
  covered: CoverageDay | undefined;
  /** 0 for no readings, 1 to 4 by their share of the fullest day's. */
  level: 0 | 1 | 2 | 3 | 4;
}

/** A day, as the server names it. */
export function dayKey(time: number): string {
  const date = zonedDate(time);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

function levelOf(frames: number, most: number): Day['level'] {
  if (frames <= 0) return 0;
  return Math.max(1, Math.ceil((frames / most) * 4)) as Day['level'];
}

/**
 * The last `count` days up to `now`, one column a week. `firstWeekday`: 7 if weeks begin on Sunday,
 * 1 on Monday.
 */
export function calendarOf(covered: readonly CoverageDay[], now: number, count: number, firstWeekday: 1 | 7): Day[] {
  const byName = new Map(covered.map((day) => [day.day, day]));
  const most = Math.max(1, ...covered.map(({ frames }) => frames));
  const rowOf = (time: number) => (zonedDate(time).getDay() - firstWeekday + 7) % 7;
  const lead = rowOf(midnight(now, 1 - count));
  return Array.from({ length: count }, (_, i) => {
    // Counted by the calendar: days have 23 to 25 hours.
    const time = midnight(now, i + 1 - count);
    const name = dayKey(time);
    const found = byName.get(name);
    return {
      name,
      time,
      column: Math.floor((lead + i) / 7),
      row: rowOf(time),
      covered: found,
      level: levelOf(found?.frames ?? 0, most),
    };
  });
}

/**
 * The day to which an arrow key leads: up and down within the week, left and right by weeks; Home
 * and End to the ends.
 */
export function dayByKey(key: string, at: number, count: number): number | undefined {
  const moves: Record<string, number> = {
    ArrowUp: at - 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 7,
    ArrowRight: at + 7,
    PageUp: at - 28,
    PageDown: at + 28,
    Home: 0,
    End: count - 1,
  };
  const wanted = moves[key];
  return wanted === undefined ? undefined : Math.min(count - 1, Math.max(0, wanted));
}
