import type { Language } from '@/lib/i18n';
import { localeTags } from './number';

/** Midnight before a time, in this machine's zone, which is the one that every call names to the server. */
export function startOfDay(time: number): number {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** The midnight to come. */
export function nextMidnight(time: number): number {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}

const made = new Map<string, Intl.DateTimeFormat>();

function intl(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${tag} ${JSON.stringify(options)}`;
  let format = made.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(tag, options);
    made.set(key, format);
  }
  return format;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/** 05:40, of 24 hours in every language. */
export function formatTime(time: number): string {
  const date = new Date(time);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** 19 Nov; with the year when it is not this one. */
export function formatDay(time: number, now: number, language: Language): string {
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  // American English would write Nov 19; ages write the day first in every language.
  const tag = language === 'en-us' ? 'en-GB' : localeTags[language];
  return intl(tag, { day: 'numeric', month: 'short', ...(sameYear ? {} : { year: 'numeric' }) }).format(time);
}

/** Day and time beside each other: 19 Nov, 05:40. Chinese and Turkish put no comma between them. */
export function formatDayTime(day: string, clock: string, language: Language): string {
  return `${day}${language === 'zh-cn' || language === 'tr-tr' ? ' ' : ', '}${clock}`;
}

/** Date and time in full: Nov 21, 2026, 14:05. Of an hour that comes twice it says which: Oct 25, 2026, 02:30 UTC+1. */
export function formatDateTime(time: number, language: Language, to: 'minutes' | 'seconds' = 'minutes'): string {
  const seconds = to === 'seconds' ? `:${pad(new Date(time).getSeconds())}` : '';
  return `${dateTime(time, language)}${seconds}${comesTwice(time) ? ` ${formatZone(time)}` : ''}`;
}

/** Date and time with their zone: Nov 21, 2026, 14:05 (UTC+3). */
export function formatZoned(time: number, language: Language): string {
  return `${dateTime(time, language)} (${formatZone(time)})`;
}

/** The month is in letters in English, where 03/04 is two days. */
function dateTime(time: number, language: Language): string {
  const clock = formatTime(time);
  if (language === 'en-us') {
    return `${intl('en-US', { year: 'numeric', month: 'short', day: 'numeric' }).format(time)}, ${clock}`;
  }
  const date = new Date(time);
  const [year, month, dayOfMonth] = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())];
  if (language === 'zh-cn') return `${year}-${month}-${dayOfMonth} ${clock}`;
  return language === 'tr-tr' ? `${dayOfMonth}.${month}.${year} ${clock}` : `${dayOfMonth}.${month}.${year}, ${clock}`;
}

/** Whether clocks show that time twice, as they are set back for winter. */
function comesTwice(time: number): boolean {
  const west = new Date(time).getTimezoneOffset();
  return [1, -1].some((way) => {
    // Wide enough for every zone's change, which is an hour or less but for the rarest.
    const change = way * (new Date(time + way * 3 * 3_600_000).getTimezoneOffset() - west);
    return change > 0 && new Date(time + way * change * 60_000).getTimezoneOffset() === west + way * change;
  });
}

/** UTC+3, UTC-3:30 or UTC: the offset of this machine's zone at that time. */
export function formatZone(time: number): string {
  const east = -new Date(time).getTimezoneOffset();
  if (east === 0) return 'UTC';
  const minutes = Math.abs(east) % 60;
  return `UTC${east < 0 ? '-' : '+'}${Math.floor(Math.abs(east) / 60)}${minutes === 0 ? '' : `:${pad(minutes)}`}`;
}
