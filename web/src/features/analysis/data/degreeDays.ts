import { midnight, nextMidnight } from '@/lib/format/date';
import { startOfDate, zonedDate } from '@/lib/format/zone';
import type { Line, Span } from './line';

const dayMs = 86_400_000;

/** The season's days without temperatures that are made up for: one in twenty, and three in a row. */
const maxMissingShare = 1 / 20;
const maxMissingInARow = 3;

/**
 * Degree days at a time since a date of its year, °C·d: the sum of what each day's mean of its
 * highest and lowest temperature is above the base (method 1 of McMaster and Wilhelm 1997), evenly
 * within a day. A day without temperatures counts as the last one before it that has some.
 */
export interface DegreeDays {
  at: (time: number) => number | null;
  total: number;
  /** Days of the season without temperatures. */
  missing: number;
  /** So few days lack temperatures that the sum can be relied on; else `at` knows nothing. */
  reliable: boolean;
}

/** When the last date `since` (MM-DD) at or before a time began. */
export function seasonStart(since: string, time: number): number {
  const [month = 1, day = 1] = since.split('-').map(Number);
  const year = zonedDate(time).getFullYear();
  const start = startOfDate(year, month - 1, day);
  return start <= time ? start : startOfDate(year - 1, month - 1, day);
}

/** `days` are the daily lows and highs of the temperature in the season. */
export function degreeDays(days: Line, season: Span, base: number): DegreeDays {
  const begins: number[] = [];
  const sums: number[] = [0];
  let missing = 0;
  let longest = 0;
  let before: number | undefined;
  let expected = season.from;
  const add = (begin: number, warmth: number) => {
    begins.push(begin);
    sums.push((sums.at(-1) ?? 0) + warmth);
  };
  for (let i = 0; i < days.times.length; i += 1) {
    const begin = days.times[i] ?? 0;
    if (begin < season.from || begin > season.to) continue;
    const warmth = Math.max(0, ((days.high[i] ?? 0) + (days.low[i] ?? 0)) / 2 - base);
    // A day may have 23 or 25 hours.
    const lacking = Math.max(0, Math.round((begin - expected) / dayMs));
    for (let day = 0; day < lacking; day += 1) add(midnight(expected, day), before ?? warmth);
    missing += lacking;
    longest = Math.max(longest, lacking);
    add(begin, warmth);
    before = warmth;
    expected = nextMidnight(begin);
  }
  begins.push(expected);
  // The day in progress, and one whose readings are late, do not count as missing.
  const open = Math.max(0, Math.floor((season.to - expected) / dayMs) - 1);
  missing += open;
  longest = Math.max(longest, open);
  const length = Math.max(1, Math.round((season.to - season.from) / dayMs));
  const reliable = begins.length > 1 && missing <= length * maxMissingShare && longest <= maxMissingInARow;
  let index = 0;
  return {
    total: sums.at(-1) ?? 0,
    missing,
    reliable,
    at: (time) => {
      const last = begins.length - 1;
      if (!reliable || time < (begins[0] ?? 0) || time > (begins[last] ?? 0)) return null;
      if (time < (begins[index] ?? 0)) index = 0;
      while (index < last - 1 && time >= (begins[index + 1] ?? 0)) index += 1;
      const [from, to] = [begins[index] ?? 0, begins[index + 1] ?? 0];
      const [low, high] = [sums[index] ?? 0, sums[index + 1] ?? 0];
      return low + (high - low) * Math.min(1, (time - from) / Math.max(1, to - from));
    },
  };
}
