import { formatDay, formatDayTime, formatMonth, formatTime, startOfDay } from '@/lib/format/date';
import { fromZonedParts, startOfDate, zonedDate } from '@/lib/format/zone';
import type { Language } from '@/lib/i18n/i18n';

/** A labelled time below the plots. */
export interface TimeTick {
  time: number;
  words: string;
}

/** The time axis: its times, and its position in pixels of the chart. */
export interface TimeAxis {
  from: number;
  to: number;
  left: number;
  width: number;
  /** The width of the whole chart: labels may reach beyond the plot, but not beyond the chart. */
  chart: number;
}

const dayMinutes = 24 * 60;
/** Minutes between two ticks, counted from midnight. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, ...[1, 2, 3, 5, 7, 10, 15].map((n) => n * dayMinutes)];
/** Months between two ticks, counted from January. */
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120];
/** Longer axes are labelled by months and years. */
const byMonthsMs = 70 * 86_400_000;
/** The fewest labels of an axis. */
const minNames = 3;
/** The gap between two labels, in pixels. */
const gap = 18;

/**
 * The labelled times, as many as fit: none is cut off, none touches another. If possible, one label
 * shows the day.
 */
export function timeTicks(axis: TimeAxis, language: Language, measure: (words: string) => number): TimeTick[] {
  const perMs = axis.width / (axis.to - axis.from);
  const x = (time: number) => axis.left + (time - axis.from) * perMs;
  const half = ({ words }: TimeTick) => measure(words) / 2;
  const inside = (tick: TimeTick) => x(tick.time) - half(tick) >= 0 && x(tick.time) + half(tick) <= axis.chart;
  const apart = (tick: TimeTick, next: TimeTick) => x(next.time) - half(next) - gap >= x(tick.time) + half(tick);
  if (axis.to - axis.from > byMonthsMs) {
    for (const step of monthSteps) {
      const ticks = monthsOf(axis, step)
        .map((time) => ({ time, words: formatMonth(time, language) }))
        .filter(inside);
      if (ticks.every((tick, index) => index === 0 || apart(ticks[index - 1] as TimeTick, tick))) return ticks;
    }
    return [];
  }
  const named = (time: number): TimeTick => ({
    time,
    words: isMidnight(time) ? formatDay(time, time, language) : formatTime(time),
  });
  const withDay = ({ time, words }: TimeTick): TimeTick => ({
    time,
    words: formatDayTime(formatDay(time, time, language), words, language),
  });
  // No label is narrower.
  const narrowest = measure('00:00') + gap;
  let dayless: TimeTick[] = [];
  for (const step of steps) {
    if (step * 60_000 * perMs < narrowest) continue;
    const ticks = timesOf(axis, step).map(named).filter(inside);
    if (!ticks.every((tick, index) => ticks[index + 1] === undefined || apart(tick, ticks[index + 1] as TimeTick))) {
      continue;
    }
    const [first, second] = ticks;
    if (!first) break;
    if (isMidnight(first.time)) return ticks;
    if (dayless.length > 0 && ticks.length < minNames) break;
    const full = withDay(first);
    if (inside(full) && (!second || apart(full, second))) return [full, ...ticks.slice(1)];
    if (ticks.some(({ time }) => isMidnight(time))) return ticks;
    // Fewer labels with the day among them are better; but two are too few for an axis.
    if (dayless.length === 0) dayless = ticks;
  }
  return dayless;
}

const isMidnight = (time: number) => startOfDay(time) === time;

/** The first midnights of months. */
function monthsOf({ from, to }: { from: number; to: number }, step: number): number[] {
  const start = zonedDate(from);
  const months = start.getFullYear() * 12 + start.getMonth();
  const times: number[] = [];
  for (let month = months - (months % step); ; month += step) {
    const time = startOfDate(Math.floor(month / 12), month % 12, 1);
    if (time > to) return times;
    if (time >= from) times.push(time);
  }
}

/** By wall time, also on days of 23 or 25 hours. */
function timesOf({ from, to }: { from: number; to: number }, step: number): number[] {
  const start = zonedDate(from);
  const [year, month, date] = [start.getFullYear(), start.getMonth(), start.getDate()];
  const times: number[] = [];
  if (step >= dayMinutes) {
    const days = step / dayMinutes;
    // Counted from a fixed day for all windows: labels do not change as the window moves.
    const since = Math.round(Date.UTC(year, month, date) / 86_400_000) % days;
    for (let day = -since; ; day += days) {
      const time = startOfDate(year, month, date + day);
      if (time > to) return times;
      if (time >= from) times.push(time);
    }
  }
  for (let minute = 0; ; minute += step) {
    const time = fromZonedParts(year, month, date + Math.floor(minute / dayMinutes), 0, minute % dayMinutes);
    if (time > to) return times;
    if (time >= from && time > (times.at(-1) ?? Number.NEGATIVE_INFINITY)) times.push(time);
  }
}
