import type { Locator, Page } from '@playwright/test';
import {
  attribute,
  calls,
  exportButton,
  figures,
  openHistory,
  plotOf,
  preset,
  recordRequests,
  rowsOf,
  spanOf,
  windowOf,
} from './history.ts';
import { day, end, historyUser, hour, sendWeather } from './historyTenant.ts';
import { expectAccessible, expectNoHorizontalScroll } from './pages.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

// Ranges, comparison, the table and closing.

test.beforeAll(sendWeather);

test('presets, and a custom range', async ({ page }) => {
  const asked = recordRequests(page, calls.columns);
  const dialog = await openHistory(page, 'HS-0001');
  // One begins with the range, not with Close.
  await expect(dialog.getByRole('radiogroup', { name: 'Range' }).getByRole('radio', { name: '7 days' })).toBeFocused();
  expect(asked.map(spanOf)).toContain(7 * day);
  expect((await windowOf(dialog)).length).toBeCloseTo(0.2 * 7 * day, -3);
  await expect(dialog.getByText(/The first 20% of the range is shown/)).toBeVisible();

  for (const [name, length] of [
    ['24 h', day],
    ['30 days', 30 * day],
  ] as const) {
    await preset(dialog, name).click();
    await expect.poll(() => asked.map(spanOf)).toContain(length);
    await expect.poll(async () => Math.round((await windowOf(dialog)).length / 1000)).toBe((0.2 * length) / 1000);
  }

  await dialog.getByRole('combobox', { name: 'By calendar' }).selectOption('Yesterday');
  const midnight =
    new Date(new Date(end).toLocaleDateString('en-CA', { timeZone: 'Europe/Istanbul' })).getTime() - 3 * hour;
  await expect
    .poll(() => asked.map((query) => [Number(query.get('startTime')), Number(query.get('endTime'))]))
    .toContainEqual([midnight - day, midnight - 1]);
  await expect(dialog.getByLabel('Start', { exact: true })).toHaveValue(/ 00:00$/);
  await expect(dialog.getByLabel('End', { exact: true })).toHaveValue(/ 23:59$/);
});

/** Types both ends like a user. */
async function typeRange(page: Page, dialog: Locator, from: number, to: number): Promise<void> {
  for (const [name, time] of [
    ['Start', from],
    ['End', to],
  ] as const) {
    const input = dialog.getByLabel(name, { exact: true });
    await input.click();
    // The field ignores input before the calendar is open.
    await expect(page.locator('.ant-picker-dropdown:not(.ant-picker-dropdown-hidden)')).toBeVisible();
    await input.fill(written(time));
    await expect(input).toHaveValue(written(time));
    await page.keyboard.press('Enter');
    // After accepting the start, the focus moves to the end by itself.
    if (name === 'Start') await expect(dialog.getByLabel('End', { exact: true })).toBeFocused();
  }
}

/** A time in the field's English format: 11/21/2026 14:41. */
function written(time: number): string {
  const [date, clock] = new Date(time + 3 * hour).toISOString().slice(0, 16).split('T') as [string, string];
  const [year, month, dayOfMonth] = date.split('-');
  return `${month}/${dayOfMonth}/${year} ${clock}`;
}

test('the rules: both ends, at most 30 days, no future, an attribute', async ({ page }) => {
  const asked = recordRequests(page, calls.columns);
  const dialog = await openHistory(page, 'HS-0001');
  const both = dialog.getByText('The start time and end time cannot be empty');

  await dialog.getByLabel('Start', { exact: true }).hover();
  await dialog.locator('.ant-picker-clear').click();
  await expect(both).toBeVisible();
  await expect(exportButton(dialog)).toBeDisabled();
  await typeRange(page, dialog, end - 3 * day, end - 2 * day);
  await expect(both).toBeHidden();
  await expect(exportButton(dialog)).toBeEnabled();
  await expect.poll(() => asked.map(spanOf)).toContain(day);

  await typeRange(page, dialog, end - 40 * day, end - day);
  await expect(dialog.getByText('Time frame is too long')).toBeVisible();
  await expect(dialog.getByLabel('Start', { exact: true })).toHaveValue('');
  await expect(dialog.getByLabel('End', { exact: true })).toHaveValue('');
  await expect(exportButton(dialog)).toBeDisabled();
  await preset(dialog, '24 h').click();
  await expect(dialog.getByText('Time frame is too long')).toBeHidden();

  await preset(dialog, 'Custom').click();
  const cell = (time: number) =>
    page.locator(`td[title="${new Date(time + 3 * hour).toISOString().slice(0, 10)}"]`).first();
  await expect(cell(end)).not.toHaveClass(/ant-picker-cell-disabled/);
  await expect(cell(end + day)).toHaveClass(/ant-picker-cell-disabled/);
  await page.keyboard.press('Escape');
  await typeRange(page, dialog, end - day, end + 3 * day);
  // Clicks outside the calendar, whether it is still open or not.
  await dialog
    .getByText(/^History of/)
    .first()
    .click();

  for (const name of ['Air temperature', 'Relative humidity', 'Wind speed', 'Soil moisture'])
    await attribute(dialog, name).click();
  await expect(dialog.getByText('property cannot be empty').first()).toBeVisible();
  await expect(exportButton(dialog)).toBeDisabled();
  for (const query of asked) {
    expect(spanOf(query)).toBeLessThanOrEqual(30 * day);
    expect(Number(query.get('endTime'))).toBeLessThanOrEqual(Date.now());
    expect(query.get('yeuSignList')).not.toBe('');
  }
});

test('comparison with the period before and with another device', async ({ page }) => {
  const asked = recordRequests(page, calls.columns);
  const dialog = await openHistory(page, 'HS-0001');
  const { from } = await windowOf(dialog);
  const compare = async (name: string) => {
    const list = page.locator('.ant-select-dropdown:visible');
    await dialog.getByRole('combobox', { name: 'Compare' }).click();
    // The devices come after the list has opened; a click while they are put in is none. A list that is
    // still closing takes no click.
    await expect(async () => {
      await list.locator('.ant-select-item-option', { hasText: name }).click({ timeout: 3000 });
      await expect(list).toHaveCount(0, { timeout: 3000 });
    }).toPass();
  };
  await compare('The period before');
  await expect(figures(dialog, /Air temperature.*The period before/)).toBeVisible();
  expect(asked.some((query) => Math.abs(Number(query.get('endTime')) - from) < 1000 && spanOf(query) === 7 * day)).toBe(
    true,
  );
  await compare('Hill mast');
  await expect(figures(dialog, /Air temperature.*Hill mast/)).toBeVisible();
  await expect(figures(dialog, /The period before/)).toHaveCount(0);
  // The mast on the hill is three degrees warmer.
  const high = async (name: RegExp) => Number(await figures(dialog, name).getByRole('cell').last().textContent());
  await expect
    .poll(async () => (await high(/Air temperature.*Hill mast/)) - (await high(/^Air temperature(?!.*Hill)/)))
    .toBeGreaterThan(1.5);
  await compare('No comparison');
  await expect(figures(dialog, /Hill mast/)).toHaveCount(0);
});

test('the table has every reading of the server', async ({ page }) => {
  const dialog = await openHistory(page, 'HS-0001');
  const asked = recordRequests(page, calls.rows);
  await dialog.getByRole('radiogroup', { name: 'View' }).getByText('Table').click();
  const table = dialog.getByRole('table');
  await expect(table).toBeVisible();
  const [query] = asked;
  const ids = (query?.get('yeuSignList') ?? '').split(',');
  const rows = await rowsOf('HS-0001', Number(query?.get('startTime')), Number(query?.get('endTime')), ids);
  await expect(table).toHaveAttribute('aria-rowcount', String(rows.length + 1));
  const cellsOf = (row: number) => table.locator(`tr[aria-rowindex="${row + 2}"]`).getByRole('cell');
  const shown = (row: (typeof rows)[number] | undefined) =>
    ids.map((id) => String(Number(row?.[id]).toFixed(id === 'soilMoisture30' ? 2 : 1)).replace('-', '−'));
  const numbers = async (row: number) =>
    (await cellsOf(row).allTextContents()).map((text) => text.replace(/[\s\u00a0\u202f]?[°%m].*$/u, ''));
  await expect.poll(() => numbers(0)).toEqual(shown(rows[0]));
  const frame = dialog.getByRole('region', { name: 'Table' });
  await frame.focus();
  await page.keyboard.press('End');
  await expect.poll(() => numbers(rows.length - 1)).toEqual(shown(rows.at(-1)));
  expect(await table.getByRole('row').count()).toBeLessThan(80);
});

test('closing asks for confirmation', async ({ page }) => {
  const dialog = await openHistory(page, 'HS-0001');
  const question = page.getByRole('dialog', { name: "Are you sure it's off?" });
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
  await expect(dialog).toBeVisible();
  // A key pressed while the question disappears still belongs to the question.
  await expect(async () => {
    await page.keyboard.press('Escape');
    await expect(question).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(dialog).toBeVisible();
  await page.mouse.click(20, 450);
  await question.getByRole('button', { name: 'Close the history' }).click();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\/data$/);
});

test('a device that was silent, and a server that fails', async ({ page }) => {
  await openSignedIn(page, historyUser, '/data?device=HS-0005&history=1');
  const silent = page.getByRole('dialog', { name: 'History of Silent mast' });
  await expect(silent.getByText('Nothing was read in this range. Choose another one.')).toBeVisible({
    timeout: 30_000,
  });

  const dialog = await openHistory(page, 'HS-0001');
  const before = await windowOf(dialog);
  await page.route(`**${calls.columns}*`, (route) => route.fulfill({ status: 500, body: '' }));
  await preset(dialog, '30 days').click();
  await expect(dialog.getByText(/what is shown is from before/)).toBeVisible();
  expect(await windowOf(dialog)).toEqual(before);
  await page.unroute(`**${calls.columns}*`);
  await dialog.getByRole('button', { name: 'Retry' }).click();
  await expect.poll(async () => Math.round((await windowOf(dialog)).length / hour)).toBe(144);
  await expect(dialog.getByText(/what is shown is from before/)).toBeHidden();
});

test('axe finds nothing serious in chart, table and question, light and dark', async ({ page }) => {
  for (const dark of [false, true]) {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.addInitScript((darkMode) => {
      const state = { darkMode, sidebarType: 'white', sidebarColor: 'info', fixedNavbar: true };
      localStorage.setItem('tilth.preferences', JSON.stringify({ state, version: 0 }));
    }, dark);
    const dialog = await openHistory(page, 'HS-0001');
    await expectAccessible(page);
    await dialog.getByRole('radiogroup', { name: 'View' }).getByText('Table').click();
    await expect(dialog.getByRole('table')).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
    await expect(page.getByText("Are you sure it's off?")).toBeVisible();
    await expectAccessible(page);
  }
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });

  test('fills the screen, two fingers zoom, and attributes are on a sheet', async ({ page }) => {
    const dialog = await openHistory(page, 'HS-0001');
    await expectNoHorizontalScroll(page);
    // All ranges are in one row that scrolls sideways; the two times appear with Custom.
    const ranges = dialog.getByRole('radiogroup', { name: 'Range' });
    expect((await ranges.boundingBox())?.height).toBeLessThanOrEqual(56);
    expect(await ranges.evaluate(({ parentElement: row }) => row && row.scrollWidth > row.clientWidth)).toBe(true);
    await expect(dialog.getByLabel('Start', { exact: true })).toBeHidden();
    await preset(dialog, 'This month').tap();
    await expect(ranges.getByRole('radio', { name: 'This month' })).toBeChecked();
    // Only the row has scrolled.
    expect(await dialog.evaluate((element) => element.getBoundingClientRect().left)).toBe(0);
    await preset(dialog, '7 days').tap();
    await expect(dialog.locator('[data-drawn=true]')).toBeVisible();
    const box = await plotOf(dialog).boundingBox();
    if (!box) throw new Error('the plot has no box');
    const first = await windowOf(dialog);
    const touch = await page.context().newCDPSession(page);
    const y = box.y + 60;
    const middle = box.x + box.width / 2;
    const fingers = (apart: number) => [
      { x: middle - apart / 2, y, id: 0 },
      { x: middle + apart / 2, y, id: 1 },
    ];
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(60) });
    for (const apart of [100, 140, 180, 240])
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(apart) });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await expect.poll(async () => Math.round(((await windowOf(dialog)).length / first.length) * 100)).toBe(25);
    await expectNoHorizontalScroll(page);

    await dialog.getByRole('button', { name: 'Choose attributes, 4 of 6 chosen' }).tap();
    await page.getByRole('checkbox', { name: /^Heating/ }).tap();
    await page.keyboard.press('Escape');
    await expect(dialog.getByRole('button', { name: 'Choose attributes, 5 of 6 chosen' })).toBeVisible();
    await expectAccessible(page);
    for (const button of await dialog.getByRole('button').all()) {
      const size = await button.boundingBox();
      expect(size?.height, await button.innerHTML()).toBeGreaterThanOrEqual(44);
    }
  });

  test('renders only the table’s rows in view, also in a comparison', async ({ page }) => {
    // A tap on a moving element misses it and then scrolls to it: the list moves away from the
    // finger.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const dialog = await openHistory(page, 'HS-0001');
    await dialog.getByRole('radiogroup', { name: 'View' }).getByText('Table').tap();
    const table = dialog.getByRole('table');
    const drawn = () => table.getByRole('row').count();
    const all = async () => Number(await table.getAttribute('aria-rowcount'));
    await expect.poll(all).toBeGreaterThan(500);
    await expect.poll(drawn).toBeLessThan(60);
    const own = await all();
    await dialog.getByRole('combobox', { name: 'Compare' }).tap();
    await page.locator('.ant-select-item-option').filter({ hasText: 'Hill mast' }).tap();
    await expect.poll(all).toBeGreaterThan(own);
    await expect.poll(drawn).toBeLessThan(60);
    await dialog.getByRole('region', { name: 'Table' }).focus();
    await page.keyboard.press('End');
    await expect(table.locator(`tr[aria-rowindex="${await all()}"]`)).toBeVisible();
    expect(await drawn()).toBeLessThan(60);
  });
});
