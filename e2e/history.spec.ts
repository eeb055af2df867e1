import type { Locator, Page } from '@playwright/test';
import { calls, figures, openHistory, plotOf, preset, recordRequests, rowsOf, spanOf, windowOf } from './history.ts';
import { day, end, hour, sendWeather } from './historyTenant.ts';
import { expectNoHorizontalScroll } from './pages.ts';
import { expect, test } from './test.ts';

// The range, comparison, the table and closing, with a keyboard, a pointer and fingers.

test.beforeAll(sendWeather);

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

async function compareWithHillMast(page: Page, dialog: Locator): Promise<void> {
  const list = page.locator('.ant-select-dropdown:visible');
  await dialog.getByRole('combobox', { name: 'Compare' }).click();
  // The devices come after the list has opened; a click while they are put in is none.
  await expect(async () => {
    await list.locator('.ant-select-item-option', { hasText: 'Hill mast' }).click({ timeout: 3000 });
    await expect(list).toHaveCount(0, { timeout: 3000 });
  }).toPass();
}

test('a range is typed, compared with another device, and shown as a table; closing asks first', async ({ page }) => {
  const asked = recordRequests(page, calls.columns);
  const dialog = await openHistory(page, 'HS-0001');
  // One begins with the range, not with Close.
  await expect(dialog.getByRole('radiogroup', { name: 'Range' }).getByRole('radio', { name: '7 days' })).toBeFocused();
  await typeRange(page, dialog, end - 3 * day, end - 2 * day);
  await expect.poll(() => asked.map(spanOf)).toContain(day);

  await compareWithHillMast(page, dialog);
  // The mast on the hill is three degrees warmer.
  const high = async (name: RegExp) => Number(await figures(dialog, name).getByRole('cell').last().textContent());
  await expect
    .poll(async () => (await high(/Air temperature.*Hill mast/)) - (await high(/^Air temperature(?!.*Hill)/)))
    .toBeGreaterThan(1.5);
  await dialog.getByRole('combobox', { name: 'Compare' }).click();
  await page.locator('.ant-select-item-option', { hasText: 'No comparison' }).click();
  await expect(figures(dialog, /Hill mast/)).toHaveCount(0);

  const wanted = recordRequests(page, calls.rows);
  await dialog.getByRole('radiogroup', { name: 'View' }).getByText('Table').click();
  const table = dialog.getByRole('table');
  await expect(table).toBeVisible();
  const [query] = wanted;
  const ids = (query?.get('yeuSignList') ?? '').split(',');
  const rows = await rowsOf('HS-0001', Number(query?.get('startTime')), Number(query?.get('endTime')), ids);
  await expect(table).toHaveAttribute('aria-rowcount', String(rows.length + 1));
  const cellsOf = (row: number) => table.locator(`tr[aria-rowindex="${row + 2}"]`).getByRole('cell');
  const shown = (row: (typeof rows)[number] | undefined) =>
    ids.map((id) => String(Number(row?.[id]).toFixed(id === 'soilMoisture30' ? 2 : 1)).replace('-', '−'));
  const numbers = async (row: number) =>
    (await cellsOf(row).allTextContents()).map((text) => text.replace(/[\s\u00a0\u202f]?[°%m].*$/u, ''));
  await expect.poll(() => numbers(0)).toEqual(shown(rows[0]));
  await dialog.getByRole('region', { name: 'Table' }).focus();
  await page.keyboard.press('End');
  await expect.poll(() => numbers(rows.length - 1)).toEqual(shown(rows.at(-1)));
  expect(await table.getByRole('row').count()).toBeLessThan(80);

  const question = page.getByRole('dialog', { name: "Are you sure it's off?" });
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
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

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });

  test('fills the screen, two fingers zoom, attributes are on a sheet, and the table renders what is in view', async ({
    page,
  }) => {
    // A tap on a moving element misses it and then scrolls to it: the list moves away from the
    // finger.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const dialog = await openHistory(page, 'HS-0001');
    // All ranges are in one row that scrolls sideways; the two times appear with Custom.
    const ranges = dialog.getByRole('radiogroup', { name: 'Range' });
    expect((await ranges.boundingBox())?.height).toBeLessThanOrEqual(56);
    expect(await ranges.evaluate(({ parentElement: row }) => row && row.scrollWidth > row.clientWidth)).toBe(true);
    await preset(dialog, 'This month').tap();
    await expect(ranges.getByRole('radio', { name: 'This month' })).toBeChecked();
    // Only the row has scrolled.
    expect(await dialog.evaluate((element) => element.getBoundingClientRect().left)).toBe(0);
    await preset(dialog, '7 days').tap();
    await expect(dialog.locator('[data-drawn=true]')).toBeVisible();
    await pinchOut(page, dialog);
    await expectNoHorizontalScroll(page);

    await dialog.getByRole('button', { name: 'Choose attributes, 4 of 6 chosen' }).tap();
    await page.getByRole('checkbox', { name: /^Heating/ }).tap();
    await page.keyboard.press('Escape');
    await expect(dialog.getByRole('button', { name: 'Choose attributes, 5 of 6 chosen' })).toBeVisible();
    for (const button of await dialog.getByRole('button').all()) {
      const size = await button.boundingBox();
      expect(size?.height, await button.innerHTML()).toBeGreaterThanOrEqual(44);
    }

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

/** Two fingers on the chart move four times as far apart: a quarter of the window is left. */
async function pinchOut(page: Page, dialog: Locator): Promise<void> {
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
}
