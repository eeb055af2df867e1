import { expect, it } from 'vitest';
import { formatFor } from '@/lib/format/format';
import { descriptors, languageCodes } from '@/lib/i18n/languages';
import { pickerDay } from './DatePicker';

it.each(languageCodes)('writes a day of any year like the rest of the console, in %s', async (language) => {
  const { dayjs, pickerYearless } = descriptors[language];
  await dayjs.load();
  const now = Date.UTC(2026, 10, 21, 12);
  for (const day of ['2026-03-01', '2026-05-19', '2026-09-30']) {
    const noon = new Date(`${day}T12:00`).getTime();
    expect(pickerDay(day).locale(dayjs.name).format(pickerYearless)).toBe(formatFor(language).day(noon, now));
  }
});
