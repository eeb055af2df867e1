import type { Language } from '@/lib/i18n/i18n';

/**
 * How one language writes numbers, days and times; Intl supplies the separators in numbers and the
 * month names.
 */
export interface LocaleConventions {
  /** The language tag for Intl. */
  tag: string;
  /**
   * `first`: the percent sign precedes the number; else the text between the number and the sign.
   */
  percent: 'first' | '' | typeof nbsp;
  /** Day and time, in full. */
  moment: (day: string, clock: string) => string;
  /**
   * From a day's parts, two digits each except the year. Undefined: Intl's format with the month's
   * name.
   */
  day?: (year: string, month: string, day: string) => string;
  /** The separator between a day in words and a time. */
  comma: string;
  /** The first day of a week: 7 Sunday, 1 Monday. */
  weekStart: 1 | 7;
  /** The separators between the first and the last of consecutive days, and between other days. */
  days: { to: string; and: string };
  /** The brackets around a zone's offset. */
  brackets: readonly [string, string];
  /** The format of date fields in dayjs's letters: antd would show 2026-11-21 in every language. */
  picker: string;
}

export const nbsp = '\u00a0';
/** Intl writes a hyphen, which is too far from a tabular number and which screen readers skip. */
export const minus = '\u2212';

/**
 * The console's only table of conventions. Words beside numbers (min, ago) are texts, `format.age`;
 * units are in `unit.ts`. The server has the same table in `internal/platform/text/form.go`, and
 * `internal/platform/text/testdata/formats.json` keeps both identical.
 */
export const localeConventions: Record<Language, LocaleConventions> = {
  'en-us': {
    tag: 'en-US',
    percent: '',
    // The month is a word: 03/04 would be ambiguous.
    moment: (day, clock) => `${day}, ${clock}`,
    comma: ', ',
    weekStart: 7,
    days: { to: '–', and: ', ' },
    brackets: [' (', ')'],
    picker: 'MM/DD/YYYY',
  },
  'zh-cn': {
    tag: 'zh-CN',
    percent: '',
    moment: (day, clock) => `${day} ${clock}`,
    day: (year, month, day) => `${year}-${month}-${day}`,
    comma: '',
    weekStart: 1,
    days: { to: '至', and: '、' },
    brackets: ['（', '）'],
    picker: 'YYYY-MM-DD',
  },
  'tr-tr': {
    tag: 'tr-TR',
    percent: 'first',
    moment: (day, clock) => `${day} ${clock}`,
    day: (year, month, day) => `${day}.${month}.${year}`,
    comma: ' ',
    weekStart: 1,
    days: { to: '–', and: ', ' },
    brackets: [' (', ')'],
    picker: 'DD.MM.YYYY',
  },
  'ru-ru': {
    tag: 'ru-RU',
    percent: nbsp,
    moment: (day, clock) => `${day}, ${clock}`,
    day: (year, month, day) => `${day}.${month}.${year}`,
    comma: ', ',
    weekStart: 1,
    days: { to: '–', and: ', ' },
    brackets: [' (', ')'],
    picker: 'DD.MM.YYYY',
  },
};
