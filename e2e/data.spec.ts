import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { publish } from './device.ts';
import { expectLive } from './pages.ts';
import { applyYaml } from './server.ts';
import { readWorkbook } from './sheet.ts';
import { expect, test } from './test.ts';
import { openSignedIn, type TestUser } from './testUsers.ts';

// The data centre: cards of the chosen devices, rendered only in view.

const meadowUser: TestUser = { tenantName: 'meadow', userName: 'deniz', password: 'clover-and-timothy' };
const prairieUser: TestUser = { tenantName: 'prairie', userName: 'june', password: 'grass-to-the-sky' };
const secret = (name: string) => `e2e-${name.toLowerCase()}-7d20c94be18f35a6`;

const sensor = (name: string, noteName: string, scene: string, product = 'weather-mast') =>
  `{deviceName: ${name}, serial: M-${name}, noteName: "${noteName}", product: ${product}, secret: "${secret(name)}", scene: ${scene}}`;

const thousandSensors = Array.from({ length: 1000 }, (_, i) => {
  const n = String(i).padStart(4, '0');
  return `{deviceName: PR-${n}, serial: P-${n}, noteName: Probe ${n}, product: weather-mast, secret: "${secret(`PR-${n}`)}", scene: Range}`;
});

test.beforeAll(async () => {
  await applyYaml(`
elements:
  - {yeuSign: soilTemperature10, unit: "°C", yeuName: {en-us: Soil temperature below the sward (10 cm), zh-cn: 土壤温度（10 cm）, tr-tr: Toprak sıcaklığı (10 cm), ru-ru: Температура почвы (10 см)}}
  - {yeuSign: soilTemperature30, unit: "°C", yeuName: {en-us: Soil temperature below the sward (30 cm), zh-cn: 土壤温度（30 cm）, tr-tr: Toprak sıcaklığı (30 cm), ru-ru: Температура почвы (30 см)}}
  - {yeuSign: soilTemperature60, unit: "°C", yeuName: {en-us: Soil temperature below the sward (60 cm), zh-cn: 土壤温度（60 cm）, tr-tr: Toprak sıcaklığı (60 cm), ru-ru: Температура почвы (60 см)}}
products:
  - name: sward-probe
    properties:
      - {identifier: soilTemperature10, functionName: Soil temperature, elementUnit: "°C", dataType: number, precision: 1, min: -40, max: 60}
      - {identifier: soilTemperature30, functionName: Soil temperature, elementUnit: "°C", dataType: number, precision: 1, min: -40, max: 60}
      - {identifier: soilTemperature60, functionName: Soil temperature, elementUnit: "°C", dataType: number, precision: 1, min: -40, max: 60}
  - name: yard-camera
    properties: [{identifier: live, functionName: Live video, dataType: text}]
tenants:
  - name: meadow
    hosts: [meadow.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: deniz, password: ${meadowUser.password}, nickname: Deniz}]
    scenes: [Upper meadow, Lower meadow]
    devices:
      - ${sensor('MD-01', 'Brook mast', 'Upper meadow')}
      - ${sensor('MD-02', 'Fence mast', 'Upper meadow')}
      - ${sensor('MD-03', 'Unused mast', 'Lower meadow')}
      - ${sensor('MD-04', 'Sward probe', 'Lower meadow', 'sward-probe')}
      - {deviceName: MD-05, serial: SXT-MD5, noteName: Yard camera, product: yard-camera, scene: Lower meadow}
  - name: prairie
    hosts: [prairie.localhost]
    timeZone: America/Chicago
    language: en-us
    users: [{userName: june, password: ${prairieUser.password}, nickname: June}]
    scenes: [Range]
    devices:
      - ${thousandSensors.join('\n      - ')}
`);
  await publish('MD-01', secret('MD-01'), { airTemperature: 12.3, airHumidity: 64 });
  const old = { ts: Date.now() - 3 * 3_600_000, values: { airTemperature: 4.5, airHumidity: 80 } };
  await publish('MD-02', secret('MD-02'), old);
  await publish('PR-0600', secret('PR-0600'), { airTemperature: 21.5, airHumidity: 40 });
  await publish('MD-04', secret('MD-04'), { soilTemperature10: 9.1, soilTemperature30: 10.4, soilTemperature60: 11.8 });
});

const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true });
async function open(page: Page, person: TestUser = meadowUser, path = '/data'): Promise<void> {
  await openSignedIn(page, person, path);
  await expect(page.getByRole('article').first()).toBeVisible();
}

test('cards are live, alike in height and aligned, and lead to the history', async ({ page }) => {
  await open(page);
  await expectLive(page);
  const mast = card(page, 'Brook mast');
  await expect(mast).toContainText('12.3');
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });
  await publish('MD-01', secret('MD-01'), { airTemperature: 13.9, airHumidity: 61.5 });
  await expect(mast).toContainText('13.9');
  await expect(mast).toContainText('61.5');
  await expect(mast).not.toContainText('older than usual');
  expect(loads).toBe(0);

  const old = card(page, 'Fence mast');
  await expect(old).toContainText('Last read 3 h ago');
  await expect(card(page, 'Unused mast')).toContainText('No readings yet');
  const camera = card(page, 'Yard camera');
  await expect(camera).toContainText('No stream yet');
  expect((await camera.boundingBox())?.height).toBe((await old.boundingBox())?.height);

  // Long names are cut before what tells them apart, and the columns stand in line.
  const rows = card(page, 'Sward probe').getByRole('listitem');
  await expect(rows).toHaveCount(2);
  for (const [i, depth] of ['(30 cm)', '(60 cm)'].entries()) {
    const end = rows.nth(i).getByText(depth, { exact: true });
    await expect(end).toBeVisible();
    expect(await overflow(end)).toBe(0);
    expect(await overflow(rows.nth(i).getByText('Soil temperature below the sward', { exact: true }))).toBeGreaterThan(
      0,
    );
  }
  const rights = await rows.evaluateAll((list) =>
    list.map((each) => [...each.children].map((column) => Math.round(column.getBoundingClientRect().right))),
  );
  expect(rights[0]).toHaveLength(2);
  expect(rights[1]).toEqual(rights[0]);

  await page.getByRole('link', { name: 'History of Brook mast' }).click();
  const dialog = page.getByRole('dialog', { name: /Brook mast/ });
  await expect(dialog).toBeVisible();
  // The question has its final size from its first frame: a press on a growing dialog's button
  // would miss it and close the question.
  const widths = page.evaluate(async () => {
    const seen: number[] = [];
    while (seen.length < 12) {
      await new Promise(requestAnimationFrame);
      const button = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Close the history');
      if (button) seen.push(Math.round(button.getBoundingClientRect().width));
    }
    return seen;
  });
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  expect(new Set(await widths).size).toBe(1);
  await page.getByRole('button', { name: 'Close the history' }).click();
  await expect(dialog).toBeHidden();

  // High enough for a finger.
  await page.setViewportSize({ width: 390, height: 844 });
  await expect
    .poll(async () => (await page.getByRole('link', { name: 'History of Brook mast' }).boundingBox())?.height)
    .toBeGreaterThanOrEqual(44);
});

/** The cut-off pixels of a text. */
const overflow = (text: Locator) => text.evaluate((element) => element.scrollWidth - element.clientWidth);

test('of a thousand devices only the cards in view are rendered and fetched', async ({ page }) => {
  const pages: string[] = [];
  const days: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/device/page') && searchParams.has('groupId')) pages.push(searchParams.get('pageNo') ?? '');
    if (pathname.endsWith('/time-interval-data')) days.push(searchParams.get('deviceName') ?? '');
  });
  await open(page, prairieUser);
  await expect(page.getByText('1,000 devices')).toBeVisible();
  await expect(card(page, 'Probe 0000')).toBeVisible();
  expect(await page.getByRole('article').count()).toBeLessThan(30);
  expect(pages).toEqual([]);

  // 334 rows of three; the 201st contains probe 600.
  await page.evaluate(() => window.scrollTo(0, 200 * 384));
  await expect(card(page, 'Probe 0600')).toContainText('21.5');
  await expect.poll(() => days).toEqual(['PR-0600']);
  expect(pages.filter((no) => !['6', '7'].includes(no))).toEqual([]);
  expect(pages.length).toBeLessThan(4);

  // Scrolls to the end in steps of three rows per frame.
  const most = await page.evaluate(async () => {
    let most = 0;
    for (let top = 200 * 384; top < document.documentElement.scrollHeight; top += 3 * 384) {
      window.scrollTo(0, top);
      await new Promise(requestAnimationFrame);
      most = Math.max(most, document.querySelectorAll('article').length);
    }
    return most;
  });
  expect(most).toBeLessThan(40);
  await expect(card(page, 'Probe 0999')).toBeVisible();
  expect(pages.filter((no) => Number(no) < 6)).toEqual([]);
});

test('of a table of a thousand devices only the rows in view are rendered and fetched', async ({ page }) => {
  const lines: number[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/day-lines')) lines.push((searchParams.get('deviceNames') ?? '').split(',').length);
  });
  await openSignedIn(page, prairieUser, '/data?view=table&sort=airTemperature');
  await expect(page.getByRole('row', { name: /Probe 0600/ })).toContainText('21.5');
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(Math.max(...lines)).toBeLessThanOrEqual(25);
  expect(lines.length).toBeLessThan(4);
  const most = await page.getByRole('region', { name: 'Table of readings' }).evaluate(async (frame) => {
    let most = 0;
    for (let top = 0; top < frame.scrollHeight; top += 10 * 44) {
      frame.scrollTop = top;
      await new Promise(requestAnimationFrame);
      most = Math.max(most, frame.querySelectorAll('tr').length);
    }
    return most;
  });
  expect(most).toBeLessThan(60);
  await expect(page.getByRole('row', { name: /Probe 0999/ })).toBeVisible();
});

/** Clicks and counts them. */
function clicker() {
  let clicks = 0;
  return {
    click: async (target: Locator) => {
      clicks += 1;
      await target.click();
    },
    count: () => clicks,
  };
}

test('two devices are compared over 30 days and exported within five clicks', async ({ page }) => {
  await open(page);
  const { click, count } = clicker();
  await click(page.getByRole('checkbox', { name: 'Compare Brook mast' }));
  await click(page.getByRole('checkbox', { name: 'Compare Fence mast' }));
  await click(page.getByRole('link', { name: 'Compare 2 devices' }));
  await expect(page).toHaveURL(/\/analysis\?devices=MD-0[12]%2CMD-0[12]&signs=airTemperature/);
  // 30 days.
  await expect(page.getByRole('combobox', { name: 'Range' })).toHaveValue('month');
  await expect(page.getByText('Brook mast').first()).toBeVisible();
  await expect(page.getByText('Fence mast').first()).toBeVisible();
  await click(page.getByRole('button', { name: 'Export' }));
  const saved = page.waitForEvent('download');
  await click(page.getByRole('menuitem', { name: 'Spreadsheet (Excel)' }));
  const download = await saved;
  expect(download.suggestedFilename()).toMatch(/\.xlsx$/);
  // One file with both devices.
  const [rows] = [...readWorkbook(readFileSync(await download.path())).values()];
  const head = rows?.[0]?.map(String).join();
  expect(head).toContain('Brook mast');
  expect(head).toContain('Fence mast');
  expect(count()).toBeLessThanOrEqual(5);
});
