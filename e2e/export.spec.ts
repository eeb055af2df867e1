import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { calls, openHistory, type Row, recordRequests, rowsOf } from './history.ts';
import { applyHistoryTenant, day, framesOf, minute, sendBacklog, signs, weatherAt } from './historyTenant.ts';
import { type Cell, clockIn, readWorkbook } from './sheet.ts';
import { expect, test } from './test.ts';

const zone = 'Europe/Istanbul';
/** A spreadsheet shows times rounded to whole seconds. */
const toSecond = (time: number) => Math.round(time / 1000) * 1000;
const end = Math.floor(Date.now() / (5 * minute)) * 5 * minute;
/** Texts that a spreadsheet might evaluate, and that XML must escape. */
const notes = ['=1+1', '+49 30', '-3', '@SUM(A1)', 'a < b & "c"', ' spaces ', 'çığ, 雪, снег', '1.50'];

test.beforeAll(async () => {
  await applyHistoryTenant();
  await sendBacklog(
    'HS-0002',
    framesOf({ from: end - 2 * day, to: end, every: 10 * minute }, (ts, index) => ({
      ...weatherAt(ts),
      ...(index % 3 === 0 ? { soilMoisture30: (index % 7) / 100 } : {}),
      ...(index % 4 === 0 ? { heating: index % 8 === 0 } : {}),
      ...(index % 5 === 0 ? { weatherNote: notes[(index / 5) % notes.length] ?? '' } : {}),
    })),
  );
});

async function save(page: Page, dialog: Locator, button: string): Promise<{ name: string; file: Buffer }> {
  const coming = page.waitForEvent('download');
  await dialog.getByRole('button', { name: button }).click();
  const download = await coming;
  return { name: download.suggestedFilename(), file: await readFile(await download.path()) };
}

/**
 * The expected cells for rows of readings: dates in the zone, numbers as numbers, empty cells
 * without a reading.
 */
const expected = (rows: readonly Row[], ids: readonly string[]): Cell[][] =>
  rows.map((row) => {
    const cells: Cell[] = [{ shown: clockIn(row.collect_time, zone) }, ...ids.map((id) => row[id] ?? null)];
    while (cells.at(-1) === null) cells.pop();
    return cells;
  });

const trimmed = (rows: readonly Cell[][]) =>
  rows.map((row) => {
    const cells = [...row];
    while (cells.at(-1) === null) cells.pop();
    return cells;
  });

// The tenant's clock counts, not the browser's.
test.use({ timezoneId: 'America/New_York' });

test('the spreadsheet equals the server’s data, cell by cell, by the tenant’s clock', async ({ page }) => {
  const asked = recordRequests(page, calls.file);
  const dialog = await openHistory(page, 'HS-0002');
  for (const name of ['Heating', 'Weather note']) await dialog.getByRole('checkbox', { name }).click();
  const { name, file } = await save(page, dialog, 'Export spreadsheet');
  expect(name).toBe('device_data.xlsx');
  await expect(page.getByText('device_data.xlsx saved')).toBeVisible();

  const [query] = asked;
  expect(query?.get('yeuSignList')?.split(',')).toEqual([...signs]);
  const [from, to] = [Number(query?.get('startTime')), Number(query?.get('endTime'))];
  expect(to - from).toBe(7 * day);
  const rows = await rowsOf('HS-0002', from, to, signs);
  expect(rows.length).toBeGreaterThan(280);

  const [readings, about] = [...readWorkbook(file).values()] as [Cell[][], Cell[][]];
  expect(readings[0]).toEqual([
    `Time (${zone})`,
    'Air temperature (°C)',
    'Relative humidity (%)',
    'Wind speed (m/s)',
    'Soil moisture, 30 cm (%)',
    'Heating',
    'Weather note',
  ]);
  expect(trimmed(readings.slice(1))).toEqual(expected(rows, signs));
  for (const note of notes) expect(readings.some((row) => row[6] === note)).toBe(true);

  const facts = new Map(about.map(([key, value]) => [key, value]));
  expect(facts.get('Device name')).toBe('HS-0002');
  expect([...facts.values()]).toEqual(
    expect.arrayContaining(['Hill mast', 'H-HS-0002', 'history-mast', zone, rows.length, '+03:00']),
  );
  expect([...facts.values()]).toContainEqual({ shown: clockIn(toSecond(from), zone) });
  expect([...facts.values()]).toContainEqual({ shown: clockIn(toSecond(to), zone) });
  expect(about).toContainEqual(['Soil moisture, 30 cm', 'soilMoisture30', '%']);
});
