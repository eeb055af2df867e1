import type { Locator, Page } from '@playwright/test';
import { publish } from './device.ts';
import { expectLive } from './pages.ts';
import { createRule, runRule } from './rule.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn, type TestUser } from './testUsers.ts';

// Alarm rules: created, rehearsed and run; their rows; the half hours of a period.

const grower: TestUser = { tenantName: 'vineyard', userName: 'aylin', password: 'rows-of-old-vines' };
const secret = 'e2e-vineyard-51b7e0f29ac4d836';
const mast = 'Slope mast · VY-01';
const day = 24 * 3_600_000;

test.beforeAll(async () => {
  await applyYaml(`
tenants:
  - name: vineyard
    hosts: [vineyard.localhost]
    timeZone: Europe/Istanbul
    language: en-us
    users: [{userName: aylin, password: ${grower.password}, nickname: Aylin}]
    scenes: [Slope]
    devices:
      - {deviceName: VY-01, serial: V-1, noteName: Slope mast, product: weather-mast, secret: ${secret}, scene: Slope}
`);
  // Three nights of frost and one cold noon, with readings every ten minutes.
  const now = Date.now();
  const frost = [3, 8, 15].flatMap((ago) => readings(now - ago * day, [4, 1.2, 0.4, 0.8, 3]));
  await publish('VY-01', secret, [...frost, ...readings(now - 12 * day, [9, 8, 9])]);
});

const readings = (from: number, values: number[]) =>
  values.map((airTemperature, i) => ({ ts: from + i * 600_000, values: { airTemperature, airHumidity: 90 } }));

const form = (page: Page) => page.getByRole('dialog', { name: /rule$/ });
const save = (dialog: Locator, name = 'Save') => dialog.getByRole('button', { name, exact: true });

async function fillRule(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name: 'New rule' }).first().click();
  const dialog = form(page);
  await dialog.getByLabel(/^Alarm name/).fill(name);
  await dialog.getByLabel(/^Device source/).click();
  // While the list still slides open, a click on an option may miss it.
  await expect(page.locator('.ant-select-dropdown:visible')).not.toHaveClass(/ant-slide/);
  await page.getByTitle(mast).click();
  await expect(dialog.locator('.ant-select-selection-item', { hasText: mast })).toBeVisible();
  await page.keyboard.press('Tab'); // closes the multiple-choice list
  await dialog.getByRole('radio', { name: 'Attribute change' }).check();
  await dialog.getByRole('radio', { name: 'Serious' }).check();
  await dialog.getByRole('radio', { name: 'Supported', exact: true }).check();
  await dialog.getByLabel('Attribute of condition 1').selectOption('Air temperature');
  await dialog.getByLabel('Comparison of condition 1').selectOption('is below (<)');
  await dialog.getByLabel('Value of condition 1', { exact: true }).fill('2');
  return dialog;
}

test('a rule is created, rehearsed and run; its row shows the alarm when it begins, before all others', async ({
  page,
}) => {
  await openSignedIn(page, grower, '/alarm');
  await expectLive(page);
  const dialog = await fillRule(page, 'Frost on the slope');
  await expect(dialog.getByText('This rule would have alarmed 3 times')).toBeVisible();
  await expect(dialog.getByText('Alarm when Air temperature is below 2 °C')).toBeVisible();

  // How long each lasted stands below the others, however long the words beside it are.
  const lines = dialog.getByRole('list', { name: 'What it would have recorded' }).getByRole('listitem');
  await expect(lines).toHaveCount(3);
  const starts = await lines.evaluateAll((all) =>
    all.map((line) => Math.round(line.children[1]?.getBoundingClientRect().left ?? 0)),
  );
  expect(new Set(starts).size).toBe(1);

  // With the limit dragged below the coldest reading there are no alarms.
  const limit = dialog.getByRole('slider', { name: 'Limit of Air temperature' });
  await limit.press('Home');
  await expect(dialog.getByText('This rule would never have alarmed')).toBeVisible();
  await dialog.getByLabel('Value of condition 1', { exact: true }).fill('2');
  await expect(dialog.getByText('This rule would have alarmed 3 times')).toBeVisible();
  await save(dialog, 'Save and run').click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Success')).toBeVisible();
  const row = page.getByRole('article', { name: 'Frost on the slope' });
  await expect(row.getByText('Running')).toBeVisible();

  // Without the alarm, the newest rule that runs would be the first.
  const far = { conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value: -30 }] };
  await createRule(grower, 'VY-01', 'Row that is stopped', far);
  await runRule(grower, 'VY-01', 'Row that waits', far);
  await publish('VY-01', secret, { airTemperature: 1.1, airHumidity: 90 });
  await expect(row.getByText(/^Since /)).toBeVisible();
  await expect(page.getByRole('article').getByRole('heading')).toHaveText([
    'Frost on the slope',
    'Row that waits',
    'Row that is stopped',
  ]);
  await expectRows(page);

  // The alarm ends with the rule.
  await row.getByRole('button', { name: /^Stop/ }).click();
  await expect(row.getByText('Stopped', { exact: true })).toBeVisible();
  await expect(row.getByText(/^Stopped .+ by Aylin$/)).toBeVisible();
});

/** Rules are rows, with the pager below them; on a phone they are cards, and lead to their alarms. */
async function expectRows(page: Page): Promise<void> {
  const heights = () =>
    page.getByRole('article').evaluateAll((all) => all.map((row) => Math.round(row.getBoundingClientRect().height)));
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 768 });
    // A rule that never alarmed has four lines.
    for (const height of await heights()) expect(height).toBeLessThanOrEqual(84);
  }
  const [last, pager] = await Promise.all([
    page.getByRole('article').last().boundingBox(),
    page.getByRole('navigation', { name: 'Pages' }).boundingBox(),
  ]);
  expect(pager?.y).toBeGreaterThanOrEqual((last?.y ?? 0) + (last?.height ?? 0));

  await page.setViewportSize({ width: 390, height: 844 });
  for (const height of await heights()) expect(height).toBeGreaterThan(120);
  await page.getByRole('link', { name: /^Open Since / }).click();
  await expect(page).toHaveURL(/\/inform\?id=\d+/);
  await page.goBack();
  await page.setViewportSize({ width: 1440, height: 900 });
}

test('a period of half hours is drawn by mouse and by keyboard, and is saved; the form has room for Russian words', async ({
  page,
}) => {
  await openSignedIn(page, grower, '/alarm');
  const dialog = await fillRule(page, 'By night');
  await dialog.getByRole('radio', { name: 'Custom' }).check();
  const slot = (clock: string) => dialog.getByRole('option', { name: new RegExp(`^${clock}–`) });
  await slot('18:00').scrollIntoViewIfNeeded();
  const at = async (clock: string) => {
    const box = await slot(clock).boundingBox();
    return [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2] as const;
  };
  await page.mouse.move(...(await at('18:00')));
  await page.mouse.down();
  await page.mouse.move(...(await at('23:30')), { steps: 30 });
  await page.mouse.up();
  await expect(dialog.getByText('18:00–24:00 · 12 of 48 half hours · Europe/Istanbul')).toBeVisible();
  await slot('00:00').focus();
  await page.keyboard.press('Space');
  for (let i = 0; i < 14; i += 1) await page.keyboard.press('Shift+ArrowRight');
  const words = '18:00–24:00, 00:00–07:30 · 27 of 48 half hours · Europe/Istanbul';
  await expect(dialog.getByText(words)).toBeVisible();
  await save(dialog).click();
  const card = page.getByRole('article', { name: 'By night' });
  await expect(card.getByText('18:00–07:30')).toBeVisible();
  await card.getByRole('link', { name: 'Edit: By night' }).click();
  await expect(form(page).getByText(words)).toBeVisible();

  await page.evaluate(() => localStorage.setItem('tilth.language', 'ru-ru'));
  await page.setViewportSize({ width: 1024, height: 768 });
  await page.goto('/alarm?rule=new');
  await expectRoomForLongWords(page.getByRole('dialog', { name: 'Новое правило' }));
});

/** In the form in Russian, levels are neither cut off nor overlap, and an attribute's name has room. */
async function expectRoomForLongWords(dialog: Locator): Promise<void> {
  const levels = dialog.getByRole('radiogroup', { name: 'Уровень тревоги' });
  await expect(levels.getByRole('radio')).toHaveCount(3);
  const faults = await levels.evaluate((group) => {
    const end = group.getBoundingClientRect().right;
    const labels = [...group.querySelectorAll('label')].map((label) => ({
      box: label.getBoundingClientRect(),
      cut: label.scrollWidth - label.clientWidth,
    }));
    return labels.flatMap(({ box, cut }, index) => [
      ...(box.right > end || cut > 0 ? [`level ${index} is cut off`] : []),
      ...labels
        .slice(index + 1)
        .filter((other) => Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left) > 1)
        .filter((other) => Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top) > 1)
        .map(() => `level ${index} overlaps another`),
    ]);
  });
  expect(faults).toEqual([]);
  const attribute = await dialog.getByLabel('Параметр условия 1').boundingBox();
  expect(attribute?.width).toBeGreaterThan(240);
}
