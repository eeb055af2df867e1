import { descriptors, type Language } from '@/lib/i18n/languages';
import { intl } from './date';

/** The days of a week: 1 Monday to 7 Sunday. */
export const weekdayNumbers: readonly number[] = [1, 2, 3, 4, 5, 6, 7];

/** The days of a week in the order of the language's calendars. */
export function weekdaysInOrder(language: Language): readonly number[] {
  return descriptors[language].weekStart === 7 ? [7, ...weekdayNumbers.slice(0, -1)] : weekdayNumbers;
}

/** The name of a weekday: Mon; `long`: Monday. */
export function formatWeekday(day: number, language: Language, length: 'short' | 'long' = 'short'): string {
  // 1 January 2024 was a Monday.
  return intl(descriptors[language].intl, { weekday: length, timeZone: 'UTC' }).format(Date.UTC(2024, 0, day));
}

/** Mon–Fri; Sat, Sun; Mon, Wed–Fri. A run may continue over the end of a week: Fri–Mon. */
export function formatWeekdays(days: readonly number[], language: Language): string {
  const { range, list } = descriptors[language];
  const name = (day: number) => formatWeekday(day, language);
  return consecutiveRuns(days, weekdaysInOrder(language))
    .map((row) =>
      row.length < 3 ? row.map(name).join(list) : [...row.slice(0, 1), ...row.slice(-1)].map(name).join(range),
    )
    .join(list);
}

/** Runs of consecutive days, ordered by where they begin in the week. */
function consecutiveRuns(days: readonly number[], inOrder: readonly number[]): number[][] {
  const chosen = new Set(days);
  if (weekdayNumbers.every((day) => chosen.has(day))) return [[...inOrder]];
  const rows: number[][] = [];
  for (const first of inOrder) {
    if (!chosen.has(first) || chosen.has(previousWeekday(first))) continue;
    const row = [first];
    for (let next = nextWeekday(first); chosen.has(next); next = nextWeekday(next)) row.push(next);
    rows.push(row);
  }
  return rows;
}

const previousWeekday = (day: number) => (day === 1 ? weekdayNumbers.length : day - 1);
const nextWeekday = (day: number) => (day === weekdayNumbers.length ? 1 : day + 1);
