import i18next from 'i18next';
import { afterEach, expect, it } from 'vitest';
import { formatFor } from '@/lib/format/format';
import { setTenantZone } from '@/lib/format/zone';
import { analysisColumn, lineOfValues, onSum, switchOf } from '@/test/analysisColumns';
import { zipEntries } from '@/test/zipEntries';
import type { Axis, Column } from '../data/column';
import { exportSheet, SheetTooLong } from './sheet';

const caption = { title: 'Orchard mast', lines: ['Mar 1 – Mar 2, 2026', 'By hour, UTC+3'] };
const start = Date.UTC(2026, 2, 1);
const hourMs = 3_600_000;

afterEach(() => setTenantZone(undefined));

type Value = string | number | null;

/** The workbook's sheets as rows of values, and its files. */
async function sheetsOf(columns: readonly Column[], axis: Axis = 'time') {
  const files = await zipEntries(await exportSheet(columns, axis, caption, i18next.t, formatFor('en-us')));
  const parse = (name: string) => new DOMParser().parseFromString(files.get(name) ?? '', 'application/xml');
  const texts = [...parse('xl/sharedStrings.xml').querySelectorAll('si')].map((text) => text.textContent ?? '');
  const rowsOf = (name: string) =>
    [...parse(name).querySelectorAll('row')].map((row) =>
      [...row.querySelectorAll('c')].map((cell): Value => {
        const value = cell.querySelector('v')?.textContent;
        if (value === undefined || value === null) return null;
        return cell.getAttribute('t') === 's' ? (texts[Number(value)] ?? null) : Number(value);
      }),
    );
  return { values: rowsOf('xl/worksheets/sheet1.xml'), about: rowsOf('xl/worksheets/sheet2.xml'), files };
}

/** How a spreadsheet counts days: by the wall clock, since the end of 1899. */
const serial = (wall: number) => wall / (24 * hourMs) + 25_569;

it('has low, mean and high of each hour, oldest first, by the clock of the tenant', async () => {
  setTenantZone('Europe/Istanbul');
  const rain = analysisColumn(lineOfValues('hour', [start + hourMs], [0.5]), {
    key: 'rain',
    sign: 'rainfall',
    name: 'Rainfall',
    unit: 'mm',
    kind: 'sum',
    precision: 2,
  });
  const before = analysisColumn(lineOfValues('hour', [start], [1]), { key: 'before', compared: true });
  const { values, files } = await sheetsOf([
    before,
    analysisColumn(lineOfValues('hour', [start, start + hourMs], [4, 5])),
    rain,
  ]);
  const mast = 'Orchard mast';
  const [own, past] = ['Air temperature', 'Air temperature (year before)'];
  expect(values.slice(0, 4)).toEqual([
    [null, mast, mast, mast, mast, mast, mast, mast],
    [null, own, own, own, past, past, past, 'Rainfall'],
    [null, 'Low', 'Mean', 'High', 'Low', 'Mean', 'High', 'Sum'],
    ['Time', '°C', '°C', '°C', '°C', '°C', '°C', 'mm'],
  ]);
  const times = values.slice(4).map(([time]) => time);
  expect(times[0]).toBeCloseTo(serial(start + 3 * hourMs), 8);
  expect(times[1]).toBeCloseTo(serial(start + 4 * hourMs), 8);
  expect(values[4]?.slice(1).filter((value) => value !== null)).toEqual([3, 4, 5, 0, 1, 2]);
  expect(values[5]?.slice(1).filter((value) => value !== null)).toEqual([4, 5, 6, 30]);
  const styles = files.get('xl/styles.xml') ?? '';
  for (const code of ['yyyy-mm-dd hh:mm', '0.0', '0.00']) expect(styles).toContain(`formatCode="${code}"`);
  const pane = /<pane [^>]*>/.exec(files.get('xl/worksheets/sheet1.xml') ?? '')?.[0];
  expect(pane).toMatch(/xSplit="1"/);
  expect(pane).toMatch(/ySplit="4"/);
});

it('has one column for readings, and words for a switch', async () => {
  setTenantZone('UTC');
  const heating = { key: 'h', sign: 'heating', name: 'Heating', unit: '', precision: undefined, kind: 'step' } as const;
  const { values, files } = await sheetsOf([
    analysisColumn(lineOfValues('raw', [start, start + 1000], [4.26, 5])),
    analysisColumn(
      switchOf({
        startTime: start,
        endTime: start + 2000,
        phases: [
          { from: start, state: 'on' },
          { from: start + 1000, state: 'off' },
        ],
      }),
      heating,
    ),
  ]);
  expect(values.slice(0, 3).map((row) => row.slice(1))).toEqual([
    ['Orchard mast', 'Orchard mast'],
    ['Air temperature', 'Heating'],
    ['°C', null],
  ]);
  expect(values.slice(3).map((row) => row.slice(1))).toEqual([
    [4.26, 'On'],
    [5, 'Off'],
  ]);
  expect(files.get('xl/styles.xml')).toContain('yyyy-mm-dd hh:mm:ss');
});

it('has the time on of days as durations', async () => {
  const heating = { key: 'h', sign: 'heating', name: 'Heating', unit: '', precision: undefined, kind: 'step' } as const;
  const day = { time: start, sum: onSum({ on: 6 * 3_600_000 }) };
  const { values, files } = await sheetsOf([analysisColumn(switchOf({ days: [day] }), heating)]);
  expect(values.map(([, value]) => value)).toEqual(['Orchard mast', 'Heating', 'Time on', 0.25]);
  expect(files.get('xl/styles.xml')).toContain('[h]:mm');
});

it('has degree days as numbers', async () => {
  const { values } = await sheetsOf([analysisColumn(lineOfValues('day', [12.5], [4]))], 'degreeDays');
  expect(values[3]?.[0]).toBe('Degree days');
  expect(values[4]).toEqual([12.5, 3, 4, 5]);
});

it('says on its second sheet what the lines are', async () => {
  const { about, files } = await sheetsOf([
    analysisColumn(lineOfValues('hour', [start], [4])),
    analysisColumn(lineOfValues('day', [start], [4]), { key: 'before', compared: true }),
  ]);
  expect(about.map((row) => row.filter((value) => value !== null))).toEqual([
    ['Orchard mast'],
    ['Mar 1 – Mar 2, 2026'],
    ['By hour, UTC+3'],
    [],
    ['Device', 'Device name', 'Attribute', 'Identifier', 'Unit', 'Period', 'Resolution'],
    ['Orchard mast', 'WS-1', 'Air temperature', 'airTemperature', '°C', 'chosen range', 'hours'],
    ['Orchard mast', 'WS-1', 'Air temperature', 'airTemperature', '°C', 'year before', 'days'],
  ]);
  expect(files.get('xl/workbook.xml')).toMatch(/name="Values".*name="About"/s);
});

it('refuses more rows than a sheet holds', async () => {
  const times = Array.from({ length: 1_048_575 }, (_, second) => start + second * 1000);
  await expect(sheetsOf([analysisColumn(lineOfValues('raw', times, times))])).rejects.toThrow(SheetTooLong);
});
