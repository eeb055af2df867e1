import type { Language } from '@/lib/i18n/i18n';

/** How one language writes numbers, days and times; the marks within numbers and the names of months are Intl's. */
export interface LocaleConventions {
  /** As Intl knows the language. */
  tag: string;
  /** Percent before its number; else what stands between the number and it. */
  percent: 'first' | '' | typeof nbsp;
  /** Day and time, in full. */
  moment: (day: string, clock: string) => string;
  /** A day's parts, two digits each but the year. Undefined: as Intl does, with the month in letters. */
  day?: (year: string, month: string, day: string) => string;
  /** Between a day in words and a time. */
  comma: string;
  /** The first day of a week: 7 Sunday, 1 Monday. */
  weekStart: 1 | 7;
  /** Between the first and the last of several days in a row, and between others. */
  days: { to: string; and: string };
  /** Around the offset of a zone. */
  brackets: readonly [string, string];
  /** How a field for a day shows it, in dayjs's letters: antd would show every language's as 2026-11-21. */
  picker: string;
}

export const nbsp = '\u00a0';
/** Intl writes a hyphen, which among tabular figures stands far off its number and which screen readers pass over. */
export const minus = '\u2212';

/**
 * The one table of the console. Words beside numbers (min, ago) are texts, `format.age`, and units are in `unit.ts`. The server
 * has the same in `internal/platform/text/form.go`, and `internal/platform/text/testdata/formats.json` holds both to one text.
 */
export const localeConventions: Record<Language, LocaleConventions> = {
  'en-us': {
    tag: 'en-US',
    percent: '',
    // The month is in letters: 03/04 is two days.
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
