import { applyDeviceTenant, open, row, sheet, table } from './deviceTenant.ts';
import { button, expectLive, textbox, toast } from './pages.ts';
import { expect, test } from './test.ts';

// The list of devices and its scenes.

test.beforeAll(applyDeviceTenant);

test('a scene is created, filled and deleted, and another browser follows beside a half-filled form', async ({
  page,
  browser,
}) => {
  const elsewhere = await (await browser.newContext()).newPage();
  await open(elsewhere, '?q=SC-MAST&device=SC-MAST&edit=true');
  await textbox(elsewhere, 'Remark name').fill('Half a na');
  await open(page, '?q=SC-MAST');
  for (const one of [page, elsewhere]) await expectLive(one);
  const scenes = page.getByRole('region', { name: 'Scenes' });
  await expect(row(page, 'SC-MAST')).toContainText('Lower slope');

  await button(page, 'New scene').click();
  const form = sheet(page, 'New scene');
  await form.getByRole('textbox').fill('Upper slope');
  await form.getByRole('radio', { name: 'Usable' }).check();
  await button(page, 'Create scene').click();
  await expect(toast(page, 'Scene added')).toBeVisible();
  await expect(scenes.getByRole('button', { name: 'Upper slope 0 devices' })).toHaveAttribute('aria-current', 'true');

  await scenes.getByRole('button', { name: /^All devices/ }).click();
  await row(page, 'SC-MAST').getByRole('link', { name: /^Edit/ }).click();
  await textbox(page, 'Remark name').fill('Seen by both');
  await page.getByRole('combobox', { name: 'Scene' }).selectOption('Upper slope');
  await button(page, 'Save').click();
  await expect(toast(page, 'Device saved')).toBeVisible();
  await expect(row(page, 'SC-MAST')).toContainText('Upper slope');
  await expect(table(elsewhere).getByText('Seen by both')).toBeVisible();
  await expect(textbox(elsewhere, 'Remark name')).toHaveValue('Half a na');

  const question = sheet(page, 'Are you sure to delete the current scene?');
  await scenes.getByRole('listitem').filter({ hasText: 'Upper slope' }).hover();
  await button(page, 'Delete scene: Upper slope').click();
  await expect(question).toContainText('Its 1 device moves to the default group and keeps its readings.');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
  await expect(button(page, 'Delete scene: Upper slope')).toBeFocused();
  await page.keyboard.press('Enter');
  await question.getByRole('button', { name: 'Delete scene' }).click();
  await expect(scenes.getByRole('button', { name: /Upper slope/ })).toHaveCount(0);
  await expect(row(page, 'SC-MAST')).toContainText('Default group');
  await elsewhere.context().close();
});

test('each row’s edit link is in sight at every width, in every language', async ({ page }) => {
  await open(page, '?q=SC-MAST');
  for (const language of ['en-us', 'zh-cn', 'tr-tr', 'ru-ru']) {
    await page.evaluate((chosen) => localStorage.setItem('tilth.language', chosen), language);
    await page.reload();
    for (const width of [1440, 1280, 1024, 900, 780]) {
      await page.setViewportSize({ width, height: 900 });
      const edit = page.locator('[data-row=SC-MAST] a[href*="edit=true"]');
      await expect(edit, `${language} at ${width} px`).toBeInViewport({ ratio: 1 });
    }
  }
});

test.describe('at 390 px', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a device is found in its scene and edited with taps', async ({ page }) => {
    await open(page);
    await page.getByRole('button', { name: /^Choose a scene/ }).tap();
    await sheet(page, 'Scenes')
      .getByRole('button', { name: /^Default group/ })
      .tap();
    await expect(page.getByRole('button', { name: /^Choose a scene: Default group/ })).toBeVisible();
    await textbox(page, 'Search devices').fill('on a phone');
    const card = page.getByRole('list', { name: 'Devices' }).getByRole('link');
    await expect(card).toHaveCount(1);
    await card.tap();
    await expect(sheet(page, 'Mast on a phone').getByText('Lines to copy')).toBeVisible();
    await button(page, 'Edit').tap();
    await expect(sheet(page, 'Edit Mast on a phone').getByRole('button', { name: /^Pin at/ })).toBeVisible();
    await textbox(page, 'Remark name').fill('Mast saved on a phone');
    await button(page, 'Save').tap();
    await expect(toast(page, 'Device saved')).toBeVisible();
    await expect(sheet(page, 'Mast saved on a phone')).toBeVisible();
  });
});
