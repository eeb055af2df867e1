import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { analysisUser, expectDrawn, openAnalysis, sendTerraces, slider } from './analysisTenant.ts';
import { day } from './historyTenant.ts';
import { readWorkbook } from './sheet.ts';
import { expect, test } from './test.ts';
import { openSignedIn } from './testUsers.ts';

test.beforeAll(sendTerraces);

const both = 'devices=TR-0001,TR-0002&signs=airTemperature,soilMoisture10,soilMoisture30';

test('a mouse points and chooses a part by dragging, Back returns, and a saved view opens after a reload', async ({
  page,
}) => {
  const search = 'devices=TR-0001&signs=soilMoisture10&range=year&compare=date&hide=rain';
  await openAnalysis(page, search);
  const place = slider(page);
  const box = await place.boundingBox();
  if (!box) throw new Error('the chart has no box');
  const across = (share: number) => box.x + share * box.width;
  const middle = box.y + box.height / 2;
  await page.mouse.move(across(0.4), middle);
  await expect(page.locator('[data-values]')).toContainText(/Upper terrace · Soil moisture, 10 cm\d+\.\d/);
  const length = async () => {
    const ends = ['aria-valuemin', 'aria-valuemax'].map((name) => place.getAttribute(name));
    const [from, to] = await Promise.all(ends);
    return Math.round((Number(to) - Number(from)) / day);
  };
  expect(await length()).toBe(365);
  await page.mouse.down();
  await page.mouse.move(across(0.6), middle, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/from=\d+&to=\d+/);
  await expect.poll(length).toBeLessThan(100);
  await page.goBack();
  await expect.poll(length).toBe(365);
  await expect(page).not.toHaveURL(/from=/);

  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Save this view…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Soil over a year');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('View “Soil over a year” saved')).toBeVisible();
  await page.goto('/analysis');
  await expect(page.getByText('Choose devices to compare')).toBeVisible();
  await page.reload();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Soil over a year', exact: true }).click();
  await expectDrawn(page);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual(Object.fromEntries(new URLSearchParams(search)));
});

test('three clicks answer when a pump stopped in the last month, and for how long it ran in all', async ({ page }) => {
  await openSignedIn(page, analysisUser, '/data');
  await page.getByRole('link', { name: 'Pump: when it was on' }).click();
  await expectDrawn(page);
  // Opening a native list and choosing from it are the other two clicks.
  const month = page.locator('optgroup[label="Months"] option').first();
  await page.getByRole('combobox', { name: 'Range' }).selectOption((await month.getAttribute('value')) ?? '');
  await expect(page).toHaveURL(/signs=pumpRunning.*from=\d+&to=\d+/);
  await expectDrawn(page);
  await expect(
    page.getByText(/^Pump: on for (84|87|90|93)\sh in all, (28|29|30|31) starts, longest 3\sh\.$/),
  ).toBeVisible();
  const [newest] = await page.getByRole('table', { name: 'Well · Pump' }).locator('tbody tr').allInnerTexts();
  expect(newest).toMatch(/02:00\t.*05:00\t3\sh\t/);
  await expect(page.locator('[data-chart] [data-gap]')).toHaveCount(0);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('one finger reads values', async ({ page }) => {
    await openAnalysis(page, both);
    const place = slider(page);
    await place.scrollIntoViewIfNeeded();
    const box = await place.boundingBox();
    if (!box) throw new Error('the chart has no box');
    const finger = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x: number) =>
      finger.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x, y: Math.max(box.y, 0) + 60 }],
      });
    await touch('touchStart', box.x + 0.5 * box.width);
    const values = page.locator('[data-values]');
    await expect(values).toContainText(/Upper terrace · Air temperature/);
    const first = await place.getAttribute('aria-valuetext');
    for (const share of [0.55, 0.6, 0.7, 0.8]) await touch('touchMove', box.x + share * box.width);
    await expect.poll(() => place.getAttribute('aria-valuetext')).not.toBe(first);
    await touch('touchEnd', 0);
    // The values stay after the finger was lifted, and the range is as before.
    await expect(values).toBeVisible();
    await expect(page).not.toHaveURL(/from=/);
  });
});

async function exported(page: Page, kind: string): Promise<{ name: string; file: Buffer }> {
  await page.getByRole('button', { name: 'Export' }).click();
  const coming = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: kind }).click();
  const download = await coming;
  return { name: download.suggestedFilename(), file: await readFile(await download.path()) };
}

test('a notice leads to the analysis, which exports a drawing, a picture and a workbook', async ({ page }) => {
  await openSignedIn(page, analysisUser, '/inform');
  await page
    .getByRole('list', { name: 'Alarm notices' })
    .getByRole('link', { name: /Heat on the slope/ })
    .click();
  await page
    .getByRole('region', { name: 'Notice', exact: true })
    .getByRole('link', { name: 'Open in analysis' })
    .click();
  await expect(page.getByRole('list', { name: 'Devices' }).getByRole('listitem')).toHaveText(['Upper terrace']);
  await expect(page).toHaveURL(/signs=airTemperature/);
  await expectDrawn(page);
  await expect(page.getByRole('link', { name: 'Heat on the slope' })).toBeVisible();

  await openAnalysis(page, 'devices=TR-0001,TR-0002&signs=airTemperature&range=week');
  const box = await page.locator('[data-chart] svg').first().boundingBox();

  const svg = await exported(page, 'Drawing (SVG)');
  expect(svg.name).toBe('device_analysis.svg');
  const { parsed, texts, lines } = await page.evaluate((text) => {
    const drawing = new DOMParser().parseFromString(text, 'image/svg+xml');
    return {
      parsed: drawing.querySelector('parsererror') === null && drawing.documentElement.tagName === 'svg',
      texts: [...drawing.querySelectorAll('text')].map((element) => element.textContent ?? ''),
      lines: [...drawing.querySelectorAll('path')].filter((path) => (path.getAttribute('d') ?? '').length > 500).length,
    };
  }, svg.file.toString('utf8'));
  expect(parsed).toBe(true);
  expect(texts).toEqual(expect.arrayContaining(['Upper terrace', 'Lower terrace', 'Air temperature, °C']));
  expect(lines).toBeGreaterThanOrEqual(2);

  const png = await exported(page, 'Picture (PNG)');
  expect(png.file.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  // Twice the size of the page's chart, with a margin.
  expect(png.file.readUInt32BE(16)).toBe(2 * (Math.round(box?.width ?? 0) + 32));
  expect(png.file.readUInt32BE(20)).toBeGreaterThan(2 * (box?.height ?? 0));

  const sheet = await exported(page, 'Spreadsheet (Excel)');
  const book = readWorkbook(sheet.file);
  expect([...book.keys()]).toEqual(['Values', 'About']);
  const rows = book.get('Values') ?? [];
  expect(rows[0]).toEqual(expect.arrayContaining(['Upper terrace', 'Lower terrace']));
  expect(rows.length).toBeGreaterThan(7 * 24 - 24);
  expect(book.get('About')?.flat()).toEqual(expect.arrayContaining(['TR-0001', 'TR-0002', 'airTemperature']));
});
