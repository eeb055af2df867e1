import type { Preset } from '@/lib/analysis/presets';
import { nextMidnight, startOfDay } from '@/lib/format/date';
import { fromZonedParts, startOfDate, zonedDate } from '@/lib/format/zone';
import type { AnalysisSearch } from '../search';
import type { Span } from './line';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const days: Record<Exclude<Preset, 'hour' | 'year' | 'all'>, number> = { day: 1, week: 7, month: 30, season: 120 };

export const defaultPreset: Preset = 'month';

/** The range that the address names, up to now; all begins at 0. */
export function spanOf({ range = defaultPreset, from, to }: AnalysisSearch, now: number): Span {
  if (from !== undefined && to !== undefined) return { from, to };
  switch (range) {
    case 'hour':
      return { from: now - hourMs, to: now };
    case 'year':
      return { from: yearBefore(now), to: now };
    case 'all':
      return { from: 0, to: now };
    default:
      return { from: now - days[range] * dayMs, to: now };
  }
}

/** The same date and time of the year before; the end of February for a 29th. */
export function yearBefore(time: number): number {
  return withYear(time, -1);
}

function withYear(time: number, years: number): number {
  const date = zonedDate(time);
  const [year, month, day] = [date.getFullYear() + years, date.getMonth(), date.getDate()];
  const last = zonedDate(startOfDate(year, month + 1, 0)).getDate();
  const seconds = date.getSeconds() * 1000 + date.getMilliseconds();
  return fromZonedParts(year, month, Math.min(day, last), date.getHours(), date.getMinutes()) + seconds;
}

/**
 * Moves times of the year before by a year, so that a date lies over the same date; null: there is
 * none, for a leap day. Times must ascend: a day is looked up once.
 */
export function yearLater(): (time: number) => number | null {
  let from = 0;
  let end = 0;
  let shift: number | null = 0;
  return (time) => {
    if (time < from || time >= end) {
      const day = zonedDate(time).getDate();
      from = startOfDay(time);
      end = nextMidnight(time);
      const later = withYear(from, 1);
      // A year without a leap day has no date for one.
      shift = zonedDate(later).getDate() === day ? later - from : null;
    }
    return shift === null ? null : time + shift;
  };
}

/** The range moved by a share of its length, but not beyond now. */
export function movedSpan({ from, to }: Span, share: number, now: number): Span {
  const by = Math.max(-from, Math.min((to - from) * share, Math.max(0, now - to)));
  return { from: Math.round(from + by), to: Math.round(to + by) };
}

/** The range with its length changed by a factor around a time, but not beyond now. */
export function zoomedSpan({ from, to }: Span, factor: number, around: number, now: number): Span {
  const minMs = 10 * 60_000;
  const length = Math.max(minMs, (to - from) * factor);
  const share = (around - from) / (to - from);
  const end = Math.min(now, around + (1 - share) * length);
  return { from: Math.max(0, Math.round(end - length)), to: Math.round(end) };
}
