import { startOfDay } from './date';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago something was, before it becomes words: a count of the largest unit, or a day by name. */
export type Age =
  | { kind: 'now' }
  | { kind: 'seconds' | 'minutes' | 'hours'; count: number }
  | { kind: 'yesterday' }
  | { kind: 'date' };

/** A time ahead of the clock, which a device's own clock may give, is now. */
export function ageOf(time: number, now: number): Age {
  const passed = now - time;
  if (passed < second) return { kind: 'now' };
  if (passed < minute) return { kind: 'seconds', count: Math.floor(passed / second) };
  if (passed < hour) return { kind: 'minutes', count: Math.floor(passed / minute) };
  if (passed < day) return { kind: 'hours', count: Math.floor(passed / hour) };
  // The day before today's midnight, not 24 hours: after a change to winter time a day has 25.
  return time >= startOfDay(startOfDay(now) - 1) ? { kind: 'yesterday' } : { kind: 'date' };
}
