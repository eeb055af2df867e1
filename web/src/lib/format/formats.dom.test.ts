import { readFileSync } from 'node:fs';
import i18next from 'i18next';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { descriptors, type Language, languageCodes } from '@/lib/i18n/languages';
import { readTexts } from '@/test/texts';
import { formatDateTime } from './date';
import { type Format, formatFor } from './format';

/** How something is written in each language; the server's tests read the same file. */
interface Row {
  kind: string;
  value: number;
  decimals?: number;
  unit: string;
  /** The name of the reading's property, if it is shown beside it. */
  name?: string;
  time: string;
  zone?: string;
  now: string;
  ms: number;
  days: number[];
  is: Record<Language, string>;
}

const rows = JSON.parse(readFileSync('../internal/platform/text/testdata/formats.json', 'utf8')) as Row[];
const at = (time: string) => new Date(time).getTime();

const writes: Record<string, (format: Format, row: Row) => string> = {
  number: (format, { value, decimals }) => format.number(value, decimals),
  reading: (format, { value, unit, decimals, name }) => format.reading({ value, unit, precision: decimals }, name),
  unit: (format, { unit }) => format.unit(unit),
  share: (format, { value }) => format.percent(value),
  moment: (format, { time }) => formatDateTime(at(time), format.language),
  zoned: (format, { time }) => format.absolute(at(time)),
  day: (format, { time, now }) => format.day(at(time), at(now)),
  near: (format, { time, now }) => format.moment(at(time), at(now)),
  nearSeconds: (format, { time, now }) => format.moment(at(time), at(now), 'seconds'),
  age: (format, { time, now }) => format.age(at(time), at(now)),
  ago: (format, { time, now }) => format.ago(at(time), at(now)),
  duration: (format, { ms }) => format.duration(ms),
  interval: (format, { ms }) => format.interval(ms),
  lasting: (format, { ms }) => format.lasting(ms),
  weekdays: (format, { days }) => format.weekdays(days),
  picker: ({ language }) => descriptors[language].picker,
};

/**
 * Only the server writes these: waits before a retry, SMS, times after others in an e-mail, the
 * ticks of its picture.
 */
const servers = ['after', 'brief', 'sms', 'tick', 'wait'];

beforeAll(() => {
  for (const language of languageCodes) {
    i18next.addResourceBundle(language, 'translation', readTexts(language));
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each(Object.keys(writes))('writes %s as in the table', (kind) => {
  const own = rows.filter((row) => row.kind === kind);
  expect(own).not.toEqual([]);
  for (const row of own) {
    if (row.zone) vi.stubEnv('TZ', row.zone);
    const written = Object.fromEntries(
      languageCodes.map((code) => [code, writes[kind]?.(formatFor(code), row)]),
    ) as Row['is'];
    expect({ ...row, is: written }).toEqual(row);
  }
});

it('knows every kind of row', () => {
  const unknown = rows.filter(({ kind }) => !(kind in writes) && !servers.includes(kind));
  expect(unknown).toEqual([]);
});

it('has a row for every part of units, so that the server knows the same', () => {
  const rowed = new Set(rows.filter(({ kind }) => kind === 'unit').map(({ unit }) => unit));
  const lacking = Object.values(descriptors).flatMap(({ units = {} }) =>
    Object.keys(units).filter((unit) => !rowed.has(unit)),
  );
  expect(lacking).toEqual([]);
});
