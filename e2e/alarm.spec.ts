import type { Locator, Page } from '@playwright/test';
import { publish } from './device.ts';
import { expectAccessible, expectLive, expectNoHorizontalScroll } from './pages.ts';
import { createRule, runRule } from './rule.ts';
import { applyYaml } from './server.ts';
import { expect, test } from './test.ts';
import { openSignedIn, type TestUser } from './testUsers.ts';

// Alarm rules: created, rehearsed and run; the form and the server report the same errors.

const grower: TestUser = { tenantName: 'vineyard', userName: 'aylin', password: 'rows-of-old-vines' };
const secret = 'e2e-vineyard-51b7e0f29ac4d836';
const gateSecret = 'e2e-vineyard-gate-8c20d7e6f91b34a5';
const brookSecret = 'e2e-vineyard-brook-40d1e6b8a7c25f93';
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
      - {deviceName: VY-03, serial: V-3, noteName: Gate mast, product: weather-mast, secret: ${gateSecret}, scene: Slope}
      - {deviceName: VY-04, serial: V-4, noteName: Brook mast, product: weather-mast, secret: ${brookSecret}, scene: Slope}
      - {deviceName: VY-02, serial: V-2, noteName: Cellar climate, product: greenhouse-climate, scene: Slope}
`);
  // Three nights of frost and one cold noon, with readings every ten minutes.
  const now = Date.now();
  const frost = [3, 8, 15].flatMap((ago) => readings(now - ago * day, [4, 1.2, 0.4, 0.8, 3]));
  await publish('VY-01', secret, [...frost, ...readings(now - 12 * day, [9, 8, 9])]);
  // Two nights that swing around the limit, an hour and a half each.
  const swings = [4, 9].flatMap((ago) => readings(now - ago * day, [8, 1.7, 2.3, 1.7, 2.3, 1.7, 2.3, 1.7, 2.3, 8]));
  await publish('VY-03', gateSecret, swings);
});

const readings = (from: number, values: number[]) =>
  values.map((airTemperature, i) => ({ ts: from + i * 600_000, values: { airTemperature, airHumidity: 90 } }));

const form = (page: Page) => page.getByRole('dialog', { name: /rule$/ });
const save = (dialog: Locator, name = 'Save') => dialog.getByRole('button', { name, exact: true });

async function fillRule(page: Page, name: string, device = 'Slope mast · VY-01'): Promise<Locator> {
  await page.getByRole('button', { name: 'New rule' }).first().click();
  const dialog = form(page);
  await dialog.getByLabel(/^Alarm name/).fill(name);
  await dialog.getByLabel(/^Device source/).click();
  // While the list still slides open, a click on an option may miss it.
  await expect(page.locator('.ant-select-dropdown:visible')).not.toHaveClass(/ant-slide/);
  await page.getByTitle(device).click();
  await expect(dialog.locator('.ant-select-selection-item', { hasText: device })).toBeVisible();
  await page.keyboard.press('Tab'); // closes the multiple-choice list
  await dialog.getByRole('radio', { name: 'Attribute change' }).check();
  await dialog.getByRole('radio', { name: 'Serious' }).check();
  await dialog.getByRole('radio', { name: 'Supported', exact: true }).check();
  await dialog.getByLabel('Attribute of condition 1').selectOption('Air temperature');
  await dialog.getByLabel('Comparison of condition 1').selectOption('is below (<)');
  await dialog.getByLabel('Value of condition 1', { exact: true }).fill('2');
  return dialog;
}

test('a rule is created, rehearsed and run, and its card shows the alarm when it begins', async ({ page }) => {
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
  await expectAccessible(page);
  await save(dialog, 'Save and run').click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Success')).toBeVisible();
  const card = page.getByRole('article', { name: 'Frost on the slope' });
  await expect(card.getByText('Running')).toBeVisible();

  await publish('VY-01', secret, { airTemperature: 1.1, airHumidity: 90 });
  await expect(card.getByText(/^Open since/)).toBeVisible();
  await card.getByRole('button', { name: /^Stop/ }).click();
  await expect(card.getByText('Stopped')).toBeVisible();
  await expect(card.getByText(/^Taken down .+ by Aylin$/)).toBeVisible();
  await expectAccessible(page);
});

test('rules are rows: the open alarm first, then what runs, then what is stopped; on a phone they are cards', async ({
  page,
}) => {
  const far = { conditions: [{ andor: 'and', tslAttribute: 'airTemperature', subconditions: '<', value: -30 }] };
  await runRule(grower, 'VY-04', 'Row with an alarm', { alarmLevel: 0 });
  await runRule(grower, 'VY-04', 'Row that waits', far);
  await createRule(grower, 'VY-04', 'Row that is stopped', far);
  await openSignedIn(page, grower, '/alarm?q=Row');
  await expectLive(page);
  const names = page.getByRole('article').getByRole('heading');
  await expect(names).toHaveText(['Row that waits', 'Row with an alarm', 'Row that is stopped']);
  await publish('VY-04', brookSecret, { airTemperature: 1.1, airHumidity: 90 });
  await expect(names).toHaveText(['Row with an alarm', 'Row that waits', 'Row that is stopped']);

  const boxes = async () =>
    page.getByRole('article').evaluateAll((all) => all.map((row) => Math.round(row.getBoundingClientRect().height)));
  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const high of await boxes()) expect(high).toBeLessThanOrEqual(80);
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
  }
  // A single page of rules: the pager is there, below the rules, not over them.
  const [last, pager] = await Promise.all([
    page.getByRole('article').last().boundingBox(),
    page.getByRole('navigation', { name: 'Pages' }).boundingBox(),
  ]);
  expect(pager?.y).toBeGreaterThanOrEqual((last?.y ?? 0) + (last?.height ?? 0));

  await page.setViewportSize({ width: 390, height: 844 });
  for (const high of await boxes()) expect(high).toBeGreaterThan(120);
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
  await page.getByRole('link', { name: /^Open since/ }).click();
  await expect(page).toHaveURL(/\/inform\?id=\d+/);
});

test('at 1024 in Russian the form cuts off neither levels nor attributes', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await page.addInitScript(() => localStorage.setItem('tilth.language', 'ru-ru'));
  await openSignedIn(page, grower, '/alarm?rule=new');
  const dialog = page.getByRole('dialog', { name: 'Новое правило' });
  const levels = dialog.getByRole('radiogroup', { name: 'Уровень тревоги' });
  await expect(levels.getByRole('radio')).toHaveCount(3);
  const box = await levels.boundingBox();
  for (const label of await levels.locator('label').all()) {
    const own = await label.boundingBox();
    expect((own?.x ?? 0) + (own?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0));
    expect(await label.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBeLessThanOrEqual(0);
  }
  const boxes = await levels.locator('label').evaluateAll((all) =>
    all.map((label) => {
      const { left, right, top, bottom } = label.getBoundingClientRect();
      return { left, right, top, bottom };
    }),
  );
  for (const [index, one] of boxes.entries()) {
    const overlaps = boxes
      .slice(index + 1)
      .filter((other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1)
      .filter((other) => Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1);
    expect(overlaps).toEqual([]);
  }
  const attribute = await dialog.getByLabel('Параметр условия 1').boundingBox();
  expect(attribute?.width).toBeGreaterThan(240);
});

test('a rule with swinging readings gets advice for fewer alarms, and applies it with one press', async ({ page }) => {
  await openSignedIn(page, grower, '/alarm');
  const dialog = await fillRule(page, 'Frost at the gate', 'Gate mast · VY-03');
  await expect(dialog.getByText('This rule would have alarmed 8 times')).toBeVisible();
  await dialog.getByRole('button', { name: 'Use this: Clears at 2.5 °C: 2 alarms instead of 8' }).click();
  await expect(dialog.getByText('This rule would have alarmed 2 times')).toBeVisible();
  await expect(dialog.getByLabel('Recovery value of condition 1')).toHaveValue('2.5');
  await expect(dialog.getByRole('button', { name: /^Use this/ })).toHaveCount(0);
  await expectAccessible(page);
});

test('a period of half hours is drawn by mouse and by keyboard, and is saved', async ({ page }) => {
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
});

test('the form shows the errors', async ({ page }) => {
  await openSignedIn(page, grower, '/alarm?rule=new');
  const dialog = form(page);
  await save(dialog).click();
  for (const sentence of [
    'The alarm name cannot be empty',
    'The device source cannot be empty',
    'The trigger type cannot be empty',
    'The alarm severity cannot be empty',
    'Manually clear the alarm. The value cannot be empty',
    'The list of conditions cannot be empty',
  ]) {
    await expect(dialog.getByText(sentence)).toBeVisible();
  }
  await expect(dialog.getByLabel(/^Alarm name/)).toBeFocused();
  await dialog.getByLabel('Start', { exact: true }).selectOption('20:00');
  await dialog.getByLabel('End', { exact: true }).selectOption('06:00');
  await expect(dialog.getByText('Start time must not be after end time')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect(dialog).toBeHidden();

  // A program may omit these two: the server answers with the same sentences, and the form shows
  // them at the field.
  const always: [string, string, RegExp][] = [
    ['dataSource', 'The data source type cannot be empty', /^Data source/],
    ['manualRelease', 'Manually clear the alarm. The value cannot be empty', /^Manual release/],
  ];
  await page.route('**/alarm-rules/create', async (route) => {
    const body = route.request().postDataJSON();
    const name = always.find(([field]) => body.alarmName === field)?.[0] ?? '';
    await route.continue({ postData: JSON.stringify({ ...body, [name]: undefined }) });
  });
  const full = await fillRule(page, 'x');
  for (const [field, sentence, label] of always) {
    await full.getByLabel(/^Alarm name/).fill(field);
    await save(full).click();
    await expect(full.getByLabel(label)).toHaveAccessibleDescription(sentence);
  }
});

test('on a phone only the form’s content scrolls, never the form itself', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openSignedIn(page, grower, '/alarm');
  await page.getByRole('button', { name: 'New rule' }).first().click();
  const dialog = form(page);
  await save(dialog).click();
  await expect(dialog.getByText('The alarm name cannot be empty')).toBeVisible();
  // The errors make it longer: a finger on the buttons would otherwise push the cross off the
  // screen.
  const over = await page.evaluate(() =>
    [...document.querySelectorAll('.ant-modal-wrap')].map((wrap) => wrap.scrollHeight - wrap.clientHeight),
  );
  expect(over).toEqual([0]);
});

test('on a phone the form fills the screen, and nothing is wider than it', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openSignedIn(page, grower, '/alarm');
  await expect(page.getByRole('button', { name: 'Filter by devices' })).toBeVisible();
  await expectNoHorizontalScroll(page);
  const dialog = await fillRule(page, 'By phone');
  await dialog.getByRole('radio', { name: 'Custom' }).check();
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
});

test('a rule for the night, on a phone, uses a channel that is created inside its form', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openSignedIn(page, grower, '/alarm');
  const dialog = await fillRule(page, 'Night watch');
  await dialog.getByRole('button', { name: /^Night/ }).click();
  await expect(dialog.getByText('20:00–24:00, 00:00–06:00 · 20 of 48 half hours · Europe/Istanbul')).toBeVisible();

  // Escape keeps the rule's input, returns the focus, and keeps the channel's draft.
  const opener = dialog.getByRole('button', { name: 'New channel' });
  const channel = page.getByRole('dialog', { name: 'New channel' });
  const name = channel.getByRole('textbox', { name: 'Name' });
  await opener.click();
  await expect(name).toBeFocused();
  await name.fill('Vineyard nights');
  await channel.getByRole('checkbox', { name: 'Email' }).check();
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(channel).toBeHidden();
  await expect(opener).toBeFocused();
  await expect(dialog.getByLabel(/^Alarm name/)).toHaveValue('Night watch');

  await opener.click();
  await channel.getByRole('button', { name: 'Restore' }).click();
  await expect(name).toHaveValue('Vineyard nights');
  await channel.getByRole('textbox', { name: 'Address 1' }).fill('aylin@vineyard.example');
  await channel.getByRole('button', { name: 'Save' }).click();
  await expect(channel).toBeHidden();
  await expect(dialog.getByTitle('Vineyard nights')).toBeVisible();
  await expect(dialog.getByLabel('Tell')).toBeFocused();
  await expectNoHorizontalScroll(page);
  await expectAccessible(page);

  await save(dialog).click();
  await expect(dialog).toBeHidden();
  const card = page.getByRole('article', { name: 'Night watch' });
  await expect(card.getByText('20:00–06:00')).toBeVisible();
  await expect(card.getByText('Vineyard nights')).toBeVisible();
});
