import { clockText, hoursText, minutesPerDay, slotsPerDay, slotsText } from '@/lib/alarm/period';

/** The slots from one half hour to another, in either order. */
export function slotRange(from: number, to: number): number[] {
  const [first, last] = from < to ? [from, to] : [to, from];
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** The given slots, ascending, with a range of them chosen or cleared. */
export function paintSlots(before: readonly number[], from: number, to: number, on: boolean): number[] {
  const touched = new Set(slotRange(from, to));
  const rest = before.filter((slot) => !touched.has(slot));
  return (on ? [...rest, ...touched] : rest).sort((a, b) => a - b);
}

/**
 * The half hour to which a key leads, with `columns` of them in a row; undefined for other keys.
 */
export function slotAfter(key: string, slot: number, columns: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -columns,
    ArrowDown: columns,
  };
  if (key === 'Home') return 0;
  if (key === 'End') return slotsPerDay - 1;
  const step = steps[key];
  if (step === undefined) return undefined;
  const next = slot + step;
  return next >= 0 && next < slotsPerDay ? next : slot;
}

/** The whole half hours that cover a period which passes midnight. */
export function overnightSlots(startMinutes: number, endMinutes: number): number[] {
  const first = Math.floor(startMinutes / 30);
  const end = Math.ceil(endMinutes / 30);
  return Array.from({ length: slotsPerDay }, (_, slot) => slot).filter((slot) => slot >= first || slot < end);
}

/** What a period whose start is after its end may mean. */
export interface PeriodInterpretation {
  /**
   * `midnight`: midnight as the end of a day instead of its beginning, or the reverse. `overnight`:
   * hours of two days, which only half hours can express.
   */
  kind: 'midnight' | 'overnight';
  /** The period as it was entered: 20:15–06:45. */
  entered: string;
  /** The half hours that cover it, if they cover more than was entered: 20:00–07:00. */
  wider: string | undefined;
  /** All hours that would be chosen instead: 20:00–24:00, 00:00–07:00. */
  hours: string;
  part: { complexTime: 0; startTime: string; endTime: string } | { complexTime: 1; slots: readonly number[] };
}

/** Both in minutes of the day. Undefined if the start is not after the end. */
export function interpretPeriod(start: number, end: number): PeriodInterpretation | undefined {
  if (start <= end) return undefined;
  const entered = `${clockText(start)}–${clockText(end)}`;
  const within = (from: number, to: number) => {
    const [startTime, endTime] = [clockText(from), clockText(to)];
    return { hours: `${startTime}–${endTime}`, part: { complexTime: 0 as const, startTime, endTime } };
  };
  if (start === minutesPerDay || end === 0) {
    return { kind: 'midnight', entered, wider: undefined, ...within(start % minutesPerDay, end || minutesPerDay) };
  }
  const slots = overnightSlots(start, end);
  const chosen =
    slots.length === slotsPerDay
      ? within(0, minutesPerDay)
      : { hours: slotsText(slots), part: { complexTime: 1 as const, slots } };
  const held = hoursText({ complexTime: 1, timePeriods: slots }) ?? chosen.hours;
  return { kind: 'overnight', entered, wider: held === entered ? undefined : held, ...chosen };
}
