import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { languageCodes } from '@/lib/i18n/languages';

const src = resolve('src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.d\.ts$/.test(file) && !/^(test|api|lib\/format)\//.test(file),
);

/** Calls that format dates, numbers and percentages by themselves; only `lib/format` may do so. */
const formattingCalls = {
  intl: /Intl\.(NumberFormat|DateTimeFormat(?!\(\)\.resolvedOptions)|RelativeTimeFormat|DurationFormat)/,
  locale: /\.toLocale(Date|Time)?String\(/,
  fixed: /\.to(Fixed|Precision)\(/,
  clock: /\.padStart\(2, '0'\)|\.get(Hours|Minutes|Seconds)\(\)/,
  /** By the calendar of this machine, not the tenant's. */
  zone: /new Date\((?![^)]*\)\.toISOString\(\))|dayjs\(/,
  /** `startOfDate` begins a day: midnight may be skipped. */
  midnight: /fromZonedParts\((?:[^,;]+,){3}\s*0,\s*0\s*\)|\.startOf\('day'\)|\.setHours\(0/,
  dayjs: /\.format\('(?!YYYY-MM-DD'\))/,
  age: /t\(['`]format\.age\.(seconds|minutes|hours|days)/,
} as const;

/**
 * Files in which the result is not text for users: drawing, rounding, values on the wire or in a
 * field; or another language.
 */
const others: Readonly<Record<string, readonly (keyof typeof formattingCalls)[]>> = {
  'features/alarm/actions/muteTimes.ts': ['clock'],
  'features/alarm/rehearsal/DayChart.tsx': ['fixed'],
  'features/alarm/rehearsal/scale.ts': ['fixed'],
  'features/analysis/chart/Bars.tsx': ['fixed'],
  // The library takes moments as dates.
  'features/analysis/chart/nights.ts': ['zone'],
  'features/analysis/controls/CompareField.tsx': ['dayjs'],
  'features/analysis/data/span.ts': ['clock'],
  // Whether a date exists.
  'features/analysis/search.ts': ['zone'],
  'features/data/history/RangeStrip.tsx': ['fixed'],
  'features/data/history/figures.ts': ['fixed'],
  'features/data/history/range.ts': ['clock'],
  'features/data/history/strip.ts': ['fixed'],
  'features/data/video/snapshot.ts': ['clock'],
  'features/demo-pages/billing/sample.ts': ['clock', 'zone'],
  'features/demo-pages/ridge.ts': ['fixed'],
  'features/demo-pages/rtl/DayChart.tsx': ['fixed'],
  'features/demo-pages/rtl/sample.ts': ['intl'],
  'features/demo-pages/virtual-reality/scene.ts': ['fixed'],
  'features/device/detail/calendar.ts': ['clock'],
  'features/device/edit/coordinates.ts': ['fixed'],
  // The span of a trend is a length of time in hours, even a day.
  'features/home/attention/Value.tsx': ['age'],
  'features/home/map/mapView.ts': ['fixed'],
  'features/home/map/markLayer.ts': ['fixed'],
  'features/home/map/ramp.ts': ['fixed'],
  'features/signin/captcha/DueIn.tsx': ['clock'],
  'features/signin/contours.ts': ['fixed'],
  // The end of a period is 24:00, which no clock shows. The hour by the tenant's clock is computed
  // there, not formatted.
  'lib/alarm/period.ts': ['clock', 'intl'],
  // Repeating intervals are given in hours, even a day.
  'lib/alarm/sentence.ts': ['age'],
  'lib/map/baseMap.ts': ['fixed'],
  'lib/map/graticule.ts': ['fixed'],
  'ui/Sparkline.tsx': ['fixed'],
  'ui/chart/scale.ts': ['fixed'],
  'ui/sparkPath.ts': ['fixed'],
};

function violations(file: string, source: string): string[] {
  return Object.entries(formattingCalls)
    .filter(([name, pattern]) => pattern.test(source) && !others[file]?.includes(name as keyof typeof formattingCalls))
    .map(([name]) => `${file}: ${name}`);
}

it('leaves formatting dates and numbers to lib/format', () => {
  expect(files.flatMap((file) => violations(file, readFileSync(join(src, file), 'utf8')))).toEqual([]);
});

it('finds calls that format by themselves', () => {
  const found = [
    'new Intl.NumberFormat(tag)',
    'date.toLocaleDateString()',
    'value.toFixed(1)',
    "String(n).padStart(2, '0')",
    'new Date(time).getDay()',
    'fromZonedParts(date.getFullYear(), date.getMonth(), 1, 0, 0)',
    "day.format('DD.MM.')",
    "t('format.age.hours', { value })",
  ].flatMap((source) => violations('features/x.ts', source));
  expect(found).toEqual(Object.keys(formattingCalls).map((name) => `features/x.ts: ${name}`));
  expect(violations('lib/headers.ts', 'Intl.DateTimeFormat().resolvedOptions()')).toEqual([]);
  expect(violations('features/x.ts', "day.format('YYYY-MM-DD')")).toEqual([]);
  expect(violations('features/x.ts', 'fromZonedParts(year, month, day, 8, 0)')).toEqual([]);
});

it('has no unnecessary exception', () => {
  const idle = Object.entries(others).flatMap(([file, names]) =>
    names
      .filter((name) => !formattingCalls[name].test(readFileSync(join(src, file), 'utf8')))
      .map((name) => `${file}: ${name}`),
  );
  expect(idle).toEqual([]);
});

it('leaves percent and degree signs to lib/format in the texts, too', () => {
  const texts = [join(src, 'locales'), resolve('../internal/platform/text/locales')].flatMap((folder) =>
    languageCodes.map((language) => readFileSync(join(folder, `${language}.json`), 'utf8')),
  );
  // In coordinates, north and east follow the degree sign.
  const found = texts.flatMap((text) => text.match(/\}\}?\s?(%|°C|°F|‰)|%\{\{?/g) ?? []);
  expect(found).toEqual([]);
});
