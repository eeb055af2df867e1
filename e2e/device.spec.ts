import { publish } from './device.ts';
import { applyDeviceTenant, open, remarkNames, row, secretOf, sheet, table } from './deviceTenant.ts';
import { button, expectAccessible, expectLive, expectNoHorizontalScroll, textbox, toast } from './pages.ts';
import { expect, test } from './test.ts';

// The list of devices and its scenes.

test.beforeAll(applyDeviceTenant);

test('a scene is created, filled, renamed and deleted; its devices move to the default group', async ({ page }) => {
  await open(page, '?q=Mast+of');
  const scenes = page.getByRole('region', { name: 'Scenes' });
  await expect(row(page, 'SC-MAST')).toContainText('Lower slope');

  await button(page, 'New scene').click();
  await button(page, 'Create scene').click();
  const form = sheet(page, 'New scene');
  await expect(form.getByText('Please enter a scene name')).toBeVisible();
  await expect(form.getByText('Please select the scene state')).toBeVisible();
  await form.getByRole('textbox').fill('Upper slope');
  await form.getByRole('radio', { name: 'Usable' }).check();
  await button(page, 'Create scene').click();
  await expect(toast(page, 'Scene added')).toBeVisible();
  await expect(scenes.getByRole('button', { name: 'Upper slope 0 devices' })).toHaveAttribute('aria-current', 'true');

  await scenes.getByRole('button', { name: /^All devices/ }).click();
  await row(page, 'SC-MAST').getByRole('link', { name: /^Edit/ }).click();
  await page.getByRole('combobox', { name: 'Scene' }).selectOption('Upper slope');
  await button(page, 'Save').click();
  await expect(toast(page, 'Device saved')).toBeVisible();
  await expect(row(page, 'SC-MAST')).toContainText('Upper slope');

  const named = scenes.getByRole('listitem').filter({ hasText: 'Upper slope' });
  await named.hover();
  await button(page, 'Edit scene: Upper slope').click();
  await sheet(page, 'Edit scene').getByRole('textbox').fill('Üst yamaç');
  await page.keyboard.press('Enter');
  await expect(toast(page, 'Scene saved')).toBeVisible();
  await expect(row(page, 'SC-MAST')).toContainText('Üst yamaç');
  await scenes.getByRole('button', { name: 'Üst yamaç 1 device' }).click();
  await expect(remarkNames(page)).toHaveText(['Mast of a scene']);

  const question = sheet(page, 'Are you sure to delete the current scene?');
  await button(page, 'Delete scene: Üst yamaç').click();
  await expect(question).toContainText('Its 1 device moves to the default group and keeps its readings.');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(toast(page, 'Undelete')).toBeVisible();
  await expect(question).toBeHidden();
  await expect(button(page, 'Delete scene: Üst yamaç')).toBeFocused();
  await page.keyboard.press('Enter');
  await question.getByRole('button', { name: 'Delete scene' }).click();
  await expect(toast(page, 'Successfully delete')).toBeVisible();
  await expect(scenes.getByRole('button', { name: /Üst yamaç/ })).toHaveCount(0);
  await expect(row(page, 'SC-MAST')).toContainText('Default group');
  await expect(page).not.toHaveURL(/scene=/);
});

test('search ignores case, also for Turkish and Cyrillic names', async ({ page }) => {
  await open(page);
  const search = textbox(page, 'Search devices');
  for (const [typed, found] of [
    ['incir', 'İncir bahçesi'],
    ['İNCİR', 'İncir bahçesi'],
    ['IŞIK', 'Işık ölçer'],
    ['ışık', 'Işık ölçer'],
    ['северный', 'Северный склон'],
    ['СКЛОН', 'Северный склон'],
    ['na-fig', 'İncir bahçesi'],
    ['n-na-light', 'Işık ölçer'],
  ] as const) {
    await search.fill(typed);
    await expect(remarkNames(page)).toHaveText([found]);
  }
  await expect(page).toHaveURL(/q=n-na-light/);
  await page.reload();
  await expect(remarkNames(page)).toHaveText(['Işık ölçer']);
  await search.fill('nobody');
  await expect(page.getByText('No device matches')).toBeVisible();
  await button(page, 'Clear search and filters').click();
  await expect(remarkNames(page)).toHaveCount(10);
});

test('the table is filtered, sorted and paged, and the address keeps this', async ({ page }) => {
  await publish('TE-03', secretOf('TE-03'), { airTemperature: 12.4 });
  await open(page, '?q=terrace');
  await expect(page.getByText('1–10 of 12')).toBeVisible();
  await page.getByRole('radio', { name: 'Online' }).check({ force: true });
  await expect(remarkNames(page)).toHaveText(['Terrace 03']);
  await page.getByRole('radio', { name: 'All' }).check({ force: true });
  await expect(remarkNames(page)).toHaveCount(10);

  const head = table(page).getByRole('columnheader', { name: 'Device name' });
  await head.getByRole('button').click();
  await expect(head).toHaveAttribute('aria-sort', 'ascending');
  await expect(remarkNames(page).first()).toHaveText('Terrace 01');
  await head.getByRole('button').click();
  await expect(head).toHaveAttribute('aria-sort', 'descending');
  await expect(remarkNames(page).first()).toHaveText('Terrace 12');
  await page.getByRole('listitem', { name: '2' }).click();
  await expect(remarkNames(page)).toHaveText(['Terrace 02', 'Terrace 01']);
  await page.reload();
  await expect(remarkNames(page)).toHaveText(['Terrace 02', 'Terrace 01']);
  await page.getByRole('listitem', { name: '1' }).click();
  await expect(remarkNames(page).first()).toHaveText('Terrace 12');

  await page.getByRole('combobox', { name: 'Rows on a page' }).selectOption('100 / page');
  await expect(remarkNames(page)).toHaveCount(12);
  await textbox(page, 'Search devices').fill('');
  await page.getByRole('combobox', { name: 'Model' }).selectOption('greenhouse-climate');
  await expect(remarkNames(page)).toHaveText(['Glass house']);
});

test('axe finds nothing serious on the page, a sheet and a form', async ({ page }) => {
  await open(page, '?device=TE-01');
  await expect(sheet(page, 'Terrace 01').getByText('Lines to copy')).toBeVisible();
  await expectAccessible(page);
  await button(page, 'Edit').click();
  await expect(sheet(page, 'Edit Terrace 01')).toBeVisible();
  await expectAccessible(page);
});

test('axe finds nothing serious in dark colours and in a dialog', async ({ page }) => {
  await open(page, '?device=TE-02');
  await button(page, 'Settings').click();
  await page.getByRole('switch', { name: 'Dark mode' }).click();
  await page.keyboard.press('Escape');
  await expect(button(page, 'Quit')).toBeHidden();
  await expect(sheet(page, 'Terrace 02').getByText('Lines to copy')).toBeVisible();
  await expectAccessible(page);
  await sheet(page, 'Terrace 02').getByRole('button', { name: 'Close' }).click();
  await button(page, 'New scene').click();
  await expect(sheet(page, 'New scene')).toBeVisible();
  await expectAccessible(page);
});

test('a change saved in one browser shows in another, also beside a half-filled form', async ({ page, browser }) => {
  const elsewhere = await (await browser.newContext()).newPage();
  await open(page, '?q=TW-MAST');
  await open(elsewhere, '?q=TW-MAST&device=TW-MAST&edit=true');
  await expect(row(page, 'TW-MAST')).toContainText('Seen by two');
  await textbox(elsewhere, 'Remark name').fill('Half a na');
  for (const one of [page, elsewhere]) await expectLive(one);

  await row(page, 'TW-MAST').getByRole('link', { name: /^Edit/ }).click();
  await textbox(page, 'Remark name').fill('Seen by both');
  await button(page, 'Save').click();
  await expect(row(page, 'TW-MAST')).toContainText('Seen by both');
  await expect(table(elsewhere).getByText('Seen by both')).toBeVisible();
  await expect(textbox(elsewhere, 'Remark name')).toHaveValue('Half a na');
  await elsewhere.context().close();
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('scenes are a field, devices are cards, and the form fits', async ({ page }) => {
    await open(page);
    await page.getByRole('button', { name: /^Choose a scene/ }).tap();
    await sheet(page, 'Scenes')
      .getByRole('button', { name: /^Default group/ })
      .tap();
    await expect(page.getByRole('button', { name: /^Choose a scene: Default group/ })).toBeVisible();
    await textbox(page, 'Search devices').fill('on a phone');
    await expectNoHorizontalScroll(page);
    const card = page.getByRole('list', { name: 'Devices' }).getByRole('link');
    await expect(card).toHaveCount(1);
    await expectAccessible(page);
    await card.tap();
    await expect(sheet(page, 'Mast on a phone').getByText('Lines to copy')).toBeVisible();
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
    await button(page, 'Edit').tap();
    const form = sheet(page, 'Edit Mast on a phone');
    await expect(form.getByRole('button', { name: /^Pin at/ })).toBeVisible();
    await expectNoHorizontalScroll(page);
    await expectAccessible(page);
    await textbox(page, 'Remark name').fill('Mast saved on a phone');
    await button(page, 'Save').tap();
    await expect(toast(page, 'Device saved')).toBeVisible();
    await expect(sheet(page, 'Mast saved on a phone')).toBeVisible();
  });
});
