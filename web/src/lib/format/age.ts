import { startOfDay } from './date';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** An age before it is put into words: a count of the largest unit, or a day by name. */
export type Age =
  | { kind: 'now' }
  | { kind: 'seconds' | 'minutes' | 'hours'; count: number }
  | { kind: 'yesterday' }
  | { kind: 'date' };

/** A time in the future, which a device's own clock may give, counts as now. */
export function ageOf(time: number, now: number): Age {
  const passed = now - time;
  if (passed < second) return { kind: 'now' };
  if (passed < minute) return { kind: 'seconds', count: Math.floor(passed / second) };
  if (passed < hour) return { kind: 'minutes', count: Math.floor(passed / minute) };
  if (passed < day) return { kind: 'hours', count: Math.floor(passed / hour) };
  // The day before today's midnight, not 24 hours: a day has 25 hours when winter time begins.
  return time >= startOfDay(startOfDay(now) - 1) ? { kind: 'yesterday' } : { kind: 'date' };
}
