import dayjsConfig from '@rc-component/picker/generate/dayjs';
import { DatePicker as AntdDatePicker } from 'antd';
import dayjs, { type Dayjs } from 'dayjs';
import utc from 'dayjs/plugin/utc';
import { now } from '@/lib/format/clock';
import { fromZonedParts, wallTime } from '@/lib/format/zone';

dayjs.extend(utc);

/**
 * antd's pickers by the tenant's calendar and clock, which dayjs alone does not support: they treat
 * every time as if its zone were UTC, whose days all have 24 hours, so that no hour is missing
 * among the choices.
 */
export const DatePicker = AntdDatePicker.generatePicker<Dayjs>({
  ...dayjsConfig,
  getNow: () => pickerDate(now()),
  getFixedDate: (text) => dayjs.utc(text, 'YYYY-MM-DD'),
  locale: {
    ...dayjsConfig.locale,
    // Month names are those of dayjs' language, which is the console's.
    parse: (_, text, formats) =>
      formats.map((format) => dayjs.utc(text, format, true)).find((date) => date.isValid()) ?? null,
  },
});

/** Converts a time for these pickers. */
export const pickerDate = (time: number): Dayjs => dayjs.utc(wallTime(time));

/** Converts a day of the server, 2026-11-21, for these pickers. */
export const pickerDay = (day: string): Dayjs => dayjs.utc(day);

/** The time chosen in such a picker. */
export function pickedTime(date: Dayjs): number {
  const minute = fromZonedParts(date.year(), date.month(), date.date(), date.hour(), date.minute());
  return minute + date.second() * 1000 + date.millisecond();
}
