import { formatDayTime } from '@/lib/format/date';
import type { Format } from '@/lib/format/format';
import { weekdayNumbers } from '@/lib/format/weekday';

/**
 * A part of the day, in minutes after midnight. The end is exclusive; 1440 is the end of the day.
 */
export interface DayRange {
  start: number;
  end: number;
}

export const minutesPerDay = 1440;
/** A custom period is made of half hours of the day. */
export const slotsPerDay = 48;
const minutesPerSlot = minutesPerDay / slotsPerDay;
/** The start and the end of a simple period are multiples of this. */
export const stepMinutes = 15;

/** Formats minutes after midnight, such as 07:30; the end of the day is 24:00. */
export function clockText(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Minutes after midnight; undefined unless the text is HH:mm between 00:00 and 24:00. */
export function minutesOf(clock: string | undefined): number | undefined {
  const match = /^(\d{2}):([0-5]\d)$/.exec(clock ?? '');
  if (!match) return undefined;
  const minutes = Number(match[1]) * 60 + Number(match[2]);
  return minutes <= minutesPerDay ? minutes : undefined;
}

/** Every time at which a simple period may begin or end: 00:00 to 24:00. */
export const clockSteps: readonly string[] = Array.from({ length: minutesPerDay / stepMinutes + 1 }, (_, i) =>
  clockText(i * stepMinutes),
);

/** Merges neighbouring half hours into ranges, in the order of the day. */
export function mergedSlots(slots: readonly number[]): DayRange[] {
  const ranges: DayRange[] = [];
  for (const slot of [...new Set(slots)].sort((a, b) => a - b)) {
    const start = slot * minutesPerSlot;
    const last = ranges.at(-1);
    if (last?.end === start) last.end = start + minutesPerSlot;
    else ranges.push({ start, end: start + minutesPerSlot });
  }
  return ranges;
}

/**
 * A night begins in the evening: the range that ends at midnight comes before the one that begins
 * there.
 */
function eveningFirst(ranges: readonly DayRange[]): readonly DayRange[] {
  const last = ranges.at(-1);
  if (!last || ranges.length < 2 || ranges[0]?.start !== 0 || last.end !== minutesPerDay) return ranges;
  return [last, ...ranges.slice(0, -1)];
}

const rangeText = ({ start, end }: DayRange) => `${clockText(start)}–${clockText(end)}`;

/** The ranges as text: 18:00–24:00, 00:00–07:30. */
export function slotsText(slots: readonly number[]): string {
  return eveningFirst(mergedSlots(slots)).map(rangeText).join(', ');
}

export interface Period {
  /** 0: a start and an end. 1: half hours. */
  complexTime: 0 | 1;
  startTime?: string;
  endTime?: string;
  timePeriods: readonly number[];
  /** 1 Monday to 7 Sunday, by the calendar day; empty: every day. */
  weekdays: readonly number[];
}

/** The hours of a day in which people are notified, in short: 18:00–07:30. Undefined: all hours. */
export function hoursText({ complexTime, startTime, endTime, timePeriods }: Omit<Period, 'weekdays'>) {
  if (complexTime === 0) {
    if (!startTime || !endTime || (startTime === '00:00' && endTime === '24:00')) return undefined;
    return `${startTime}–${endTime}`;
  }
  if (new Set(timePeriods).size >= slotsPerDay) return undefined;
  const [first, second, ...rest] = eveningFirst(mergedSlots(timePeriods));
  if (!first) return '';
  const overnight = first.end === minutesPerDay && second?.start === 0;
  const ranges = overnight && second ? [{ start: first.start, end: second.end }] : second ? [first, second] : [first];
  return [...ranges, ...rest].map(rangeText).join(', ');
}

/** Puts the weekdays in front of the hours: Mon–Fri, 18:00–07:30. */
export function withWeekdays(
  weekdays: readonly number[],
  hours: string,
  { language, weekdays: written }: Format,
): string {
  return isEveryDay(weekdays) ? hours : formatDayTime(written(weekdays), hours, language);
}

export function isEveryDay(weekdays: readonly number[]): boolean {
  return weekdays.length === 0 || weekdays.length >= weekdayNumbers.length;
}

/** When people are notified, in short: Mon–Fri, 18:00–07:30. Undefined: always. */
export function periodText({ weekdays, ...day }: Period, format: Format): string | undefined {
  const hours = hoursText(day);
  if (isEveryDay(weekdays)) return hours;
  return hours === undefined ? format.weekdays(weekdays) : withWeekdays(weekdays, hours, format);
}

/** Whether people are notified at a time, by the tenant's clock and calendar. */
export function isNotifiedAt(
  { complexTime, startTime, endTime, timePeriods, weekdays }: Period,
  time: number,
  zone: string,
): boolean {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(time);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? '';
  if (!isEveryDay(weekdays) && !weekdays.includes(dayNames.indexOf(part('weekday')) + 1)) return false;
  const minute = minutesOf(`${part('hour')}:${part('minute')}`) ?? 0;
  if (complexTime === 1) return timePeriods.includes(Math.floor(minute / minutesPerSlot));
  const [start, end] = [minutesOf(startTime), minutesOf(endTime)];
  return start === undefined || end === undefined || (minute >= start && minute < end);
}

/** The names that Intl gives in British English. */
const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
