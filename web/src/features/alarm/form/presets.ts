import { weekdayNumbers } from '@/lib/format/weekday';
import { overnightSlots } from './slots';
import type { RuleValues } from './values';

export type PeriodValues = Pick<RuleValues, 'complexTime' | 'startTime' | 'endTime' | 'slots' | 'weekdays'>;

export const workdays: readonly number[] = [1, 2, 3, 4, 5];
const [morning, evening] = [6, 20];

/**
 * The most common periods, each chosen by one click. A night spans two days, so it consists of half
 * hours.
 */
export const presets = {
  day: { complexTime: 0, startTime: '06:00', endTime: '20:00', weekdays: weekdayNumbers },
  night: { complexTime: 1, slots: overnightSlots(evening * 60, morning * 60), weekdays: weekdayNumbers },
  // This preset keeps the times.
  workdays: { weekdays: workdays },
} as const satisfies Record<string, Partial<PeriodValues>>;

export type Preset = keyof typeof presets;
