import { descriptors, type Language } from '@/lib/i18n/languages';
import { minus } from './number';
import { startOfDate, zonedDate } from './zone';

/** When the day of a time began. */
export function startOfDay(time: number): number {
  return midnight(time, 0);
}

/** When the next day begins. */
export function nextMidnight(time: number): number {
  return midnight(time, 1);
}

/** The midnight `days` calendar days from the one before a time; a day may have 23 or 25 hours, or begin at one. */
export function midnight(time: number, days: number): number {
  const date = zonedDate(time);
  return startOfDate(date.getFullYear(), date.getMonth(), date.getDate() + days);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** A cached Intl formatter. */
export function intl(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${tag} ${JSON.stringify(options)}`;
  let format = formatters.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(tag, options);
    formatters.set(key, format);
  }
  return format;
}

/** Formats a calendar day with Intl. */
function formatParts(time: number, language: Language, options: Intl.DateTimeFormatOptions): string {
  const date = zonedDate(time);
  const day = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return intl(descriptors[language].intl, { ...options, timeZone: 'UTC' }).format(day);
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** 05:40, with 24 hours in every language. */
export function formatTime(time: number): string {
  const date = zonedDate(time);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** Nov 19; with the year when it is not this one. */
export function formatDay(time: number, now: number, language: Language): string {
  const sameYear = zonedDate(time).getFullYear() === zonedDate(now).getFullYear();
  return formatParts(time, language, { day: 'numeric', month: 'short', ...(sameYear ? {} : { year: 'numeric' }) });
}

/** The month of a time, by the tenant's calendar: Mar; a January is its year: 2026. */
export function formatMonth(time: number, language: Language): string {
  return formatParts(time, language, zonedDate(time).getMonth() === 0 ? { year: 'numeric' } : { month: 'short' });
}

/** A month in full, with its year: October 2026. */
export function formatFullMonth(time: number, language: Language): string {
  return formatParts(time, language, { month: 'long', year: 'numeric' });
}

/** A day of any year, its month counted from 1: March 1. */
export function formatDayOfYear(month: number, day: number, language: Language): string {
  // A leap year has every day.
  const time = Date.UTC(2024, month - 1, day);
  return intl(descriptors[language].intl, { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(time);
}

/** Day and time beside each other: Nov 19, 05:40. */
export function formatDayTime(day: string, clock: string, language: Language): string {
  return `${day}${descriptors[language].comma}${clock}`;
}

/** 05:40; with the day in front when it is not today. */
export function formatNear(time: number, now: number, language: Language, to: Precision = 'minutes'): string {
  const clock = `${formatTime(time)}${seconds(time, to)}`;
  if (startOfDay(time) === startOfDay(now)) return clock;
  return formatDayTime(formatDay(time, now, language), clock, language);
}

/**
 * Date and time in full: Nov 21, 2026, 14:05. In an hour that occurs twice it adds the offset: Oct
 * 25, 2026, 02:30 UTC+1.
 */
export function formatDateTime(time: number, language: Language, to: Precision = 'minutes'): string {
  return `${dateTime(time, language)}${seconds(time, to)}${isAmbiguousTime(time) ? ` ${formatZone(time)}` : ''}`;
}

/** Date and time with the zone: Nov 21, 2026, 14:05 (UTC+3). */
export function formatZoned(time: number, language: Language): string {
  return `${dateTime(time, language)}${descriptors[language].brackets.join(formatZone(time))}`;
}

type Precision = 'minutes' | 'seconds';

const seconds = (time: number, to: Precision) => (to === 'seconds' ? `:${pad(zonedDate(time).getSeconds())}` : '');

/** A day in full: Nov 21, 2026. */
export function formatDate(time: number, language: Language): string {
  const { day } = descriptors[language];
  const date = zonedDate(time);
  return day
    ? day(String(date.getFullYear()), pad(date.getMonth() + 1), pad(date.getDate()))
    : formatParts(time, language, { year: 'numeric', month: 'short', day: 'numeric' });
}

const dateTime = (time: number, language: Language) =>
  descriptors[language].moment(formatDate(time, language), formatTime(time));

/** Whether clocks show that time twice, because they are set back for winter. */
function isAmbiguousTime(time: number): boolean {
  const west = zonedDate(time).getTimezoneOffset();
  return [1, -1].some((direction) => {
    // Three hours cover every zone's change, which is an hour or less with rare exceptions.
    const change = direction * (zonedDate(time + direction * 3 * 3_600_000).getTimezoneOffset() - west);
    return (
      change > 0 && zonedDate(time + direction * change * 60_000).getTimezoneOffset() === west + direction * change
    );
  });
}

/** UTC+3, UTC−3:30 or UTC: the offset at that time. */
export function formatZone(time: number): string {
  const east = -zonedDate(time).getTimezoneOffset();
  if (east === 0) return 'UTC';
  const minutes = Math.abs(east) % 60;
  return `UTC${east < 0 ? minus : '+'}${Math.floor(Math.abs(east) / 60)}${minutes === 0 ? '' : `:${pad(minutes)}`}`;
}
