import { applyDeviceTenant, open, sheet } from './deviceTenant.ts';
import { expect, test } from './test.ts';

// The search over everything, with the keyboard alone.

test.beforeAll(applyDeviceTenant);

test('Ctrl-K finds a device, a scene and a page, and opens the chosen one, by keys alone', async ({ page }) => {
  const mistakes: string[] = [];
  page.on('pageerror', ({ message }) => mistakes.push(message));
  await open(page);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  const dialog = sheet(page, 'Search');
  const field = dialog.getByRole('combobox', { name: 'Search' });
  await expect(field).toBeFocused();
  await expect(dialog.getByRole('group', { name: 'Pages' }).getByRole('option').first()).toHaveText('Home page');

  await page.keyboard.type('IŞIK');
  const devices = dialog.getByRole('group', { name: 'Devices' }).getByRole('option');
  await expect(devices).toHaveText([/^Işık ölçer/, '']);
  await expect(devices.last()).toHaveAccessibleName('History of Işık ölçer');
  await page.keyboard.press('Enter');
  await expect(sheet(page, 'Işık ölçer')).toBeVisible();
  await expect(page).toHaveURL(/\/device\?device=NA-LIGHT$/);
  await page.keyboard.press('Escape');
  await expect(sheet(page, 'Işık ölçer')).toBeHidden();

  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await page.keyboard.type('lower');
  await expect(dialog.getByRole('option', { name: 'Lower slope', exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(field).toBeHidden();

  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await page.keyboard.type('terr');
  await expect(dialog.getByRole('option', { name: 'Show all 12' })).toBeVisible();
  // A long list moves with the current line.
  for (let line = 0; line < 6; line += 1) await page.keyboard.press('ArrowDown');
  await expect(dialog.getByRole('option', { selected: true })).toHaveText('Show all 12');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/device\?q=terr$/);
  expect(mistakes).toEqual([]);
});
